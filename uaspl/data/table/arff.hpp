// Reads the records of an ARFF file, the format of Weka: declared attributes, then rows with all
// values or with those that are not zero.
#pragma once

#include <cstddef>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "uaspl/data/table/lines.hpp"
#include "uaspl/data/table/record_reader.hpp"

namespace uaspl {

// The class is the attribute of that name (in any case), or else the last one if it is nominal.
class ArffReader final : public RecordReader {
 public:
  // The input, of UTF-8, must outlive the reader. Throws an Error if the declarations make no
  // sense.
  explicit ArffReader(Input& input);

  // Reads the next row. Numbers must be numbers, and nominal values declared ones.
  bool next() override;
  void rewind() override;
  Extent extent() override { return extent_of_rows(); }

 private:
  void read_header();
  void declare(std::string_view rest);
  void read_type(std::string_view type);
  void read_levels(std::string_view list);
  void choose_target();
  Extent extent_of_rows();
  void read_dense(std::string_view text);
  void read_sparse(std::string_view text);
  void read_place(std::string_view& text);
  std::string_view take_value(std::string_view& text, std::string_view ends);
  std::string_view take_quoted(std::string_view& text);
  void check_cells();

  Lines lines_;
  std::deque<std::string> unescaped_;                         // cells with escapes in quotes
  std::vector<std::unordered_set<std::string_view>> levels_;  // of each nominal column
  std::vector<std::string_view> omitted_;  // what a sparse row means that leaves a column out
  std::vector<std::size_t> filled_;        // the sparse row that filled each column last
  std::size_t row_ = 0;
  CellBudget budget_;
};

// Says whether a line can only be the first declaration of such a file.
bool begins_arff(std::string_view line);

}  // namespace uaspl
