// Reads the records of a file of JSON lines: one object a line, whose members are the cells.
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "uaspl/data/table/lines.hpp"
#include "uaspl/data/table/record_reader.hpp"

namespace uaspl {

// The columns are the names of all objects, in the order in which they come; they are found by a
// first pass. If the format tells which columns are expected, there is none: the columns are those
// of the first object and the expected ones, and other names are passed over. A name that an object
// lacks, or whose value is null, is a missing cell. Objects and lists within are errors.
class JsonLinesReader final : public RecordReader {
 public:
  // The input, of UTF-8, must outlive the reader, and be rewindable unless columns are expected.
  JsonLinesReader(Input& input, const TableFormat& format);

  bool next() override;
  void rewind() override;
  Extent extent() override;
  std::vector<std::string> notes() const override;

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>()(text);
    }
  };

  bool next_line();
  std::size_t add_column(std::string_view name);
  std::size_t column_of(std::string_view name, std::size_t guess) const;
  // Hands each name of the line's object, and its value, to `take`.
  template <typename Take>
  void read_object(Take take);
  std::string_view take_text();
  std::string_view take_escaped(std::size_t end);
  void take_escape(std::size_t& at, std::string& plain);
  std::string_view take_value(std::string_view name);
  void skip_blanks();
  void expect(char c, std::string_view what);

  Lines lines_;
  std::string_view rest_;              // of the line
  std::deque<std::string> unescaped_;  // texts with escapes
  std::unordered_map<std::string, std::size_t, Hash, std::equal_to<>> places_;
  std::vector<std::size_t> filled_;  // the record that filled each column last
  std::vector<bool> met_;            // columns that some record had
  std::size_t record_ = 0;
  CellBudget budget_;
};

// Says whether a line begins as such an object.
bool begins_json_object(std::string_view line);

}  // namespace uaspl
