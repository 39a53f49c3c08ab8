// Reads the records of a file in the format of libsvm and SVMlight: a label, and the values that
// are not zero with their places, `1 3:0.5 17:2`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "uaspl/data/table/lines.hpp"
#include "uaspl/data/table/record_reader.hpp"

namespace uaspl {

// The columns are `label` and, for each place that some row names, f1, f2, ... (or from f0 on).
// They are found by a first pass, unless the format tells which ones are expected: then these are
// the columns, and values of other places are passed over.
class LibsvmReader final : public RecordReader {
 public:
  // The input, of UTF-8, must outlive the reader, and be rewindable unless columns are expected.
  LibsvmReader(Input& input, const TableFormat& format);

  bool next() override;
  void rewind() override;
  Extent extent() override;
  std::vector<std::string> notes() const override;

 private:
  struct Pair {
    std::uint32_t place;
    std::string_view value;
  };
  bool next_line();
  std::string_view take_label();
  bool take_pair(Pair& pair);
  void find_places();
  std::size_t column_of(std::uint32_t place, std::size_t guess) const;

  Lines lines_;
  std::string_view rest_;              // of the line
  std::vector<std::uint32_t> places_;  // of the columns after the label, rising
  std::vector<std::size_t> filled_;    // the record that filled each column last
  std::size_t record_ = 0;
  CellBudget budget_;
  bool has_groups_ = false;  // `qid:3`
};

// Says whether a line is one of such a file (kYes), may be one (a number alone, a comment), or not.
enum class Likeness { kNo, kMaybe, kYes };
Likeness likeness_to_libsvm(std::string_view line);

}  // namespace uaspl
