// Records of a CSV file (RFC 4180): quotes, embedded newlines, CRLF, byte order mark, any
// delimiter.
#pragma once

#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "uaspl/base/error.hpp"
#include "uaspl/data/table/parse_number.hpp"
#include "uaspl/io/input.hpp"

namespace uaspl {

struct CsvFormat {
  char delimiter = '\0';  // none: the one of `,` `;` tab `|` that the first line has most of
  bool header = true;     // otherwise the columns are called c1, c2, ...
};

class CsvReader {
 public:
  // The input must outlive the reader.
  CsvReader(Input& input, const CsvFormat& format);

  // Names of the columns, each only once.
  const std::vector<std::string>& columns() const { return columns_; }

  const std::string& name() const { return input_.name(); }

  // The next record; false at the end. Empty lines are passed over; a record whose number of cells
  // is not that of the columns is an error.
  bool next();

  // Cells of the record, valid until the next call. White space around cells without quotes is cut.
  std::span<const std::string_view> cells() const { return cells_; }

  // The value of a cell that is a number, finite or not; false for text.
  bool number(std::size_t column, double& value) const {
    return short_number(column, value) || parse_number(cells_[column], value);
  }

  // The same for most numbers, all of them finite, at the least cost; false says nothing.
  bool short_number(std::size_t column, double& value) const {
    return has_room_ && parse_short_number(cells_[column], value);
  }

  std::size_t line() const { return line_; }  // where the record begins, from 1

  // Starts again from the first record; the whole input must be in memory.
  void rewind();

  // An error at a cell of the record: file, line, column and what is wrong with it.
  Error error(std::size_t column, std::string_view what) const;

 private:
  enum class Scan { kDone, kIncomplete };
  void choose_delimiter();
  void name_columns();
  enum class Passed { kForget, kKeep };
  bool read_record(Passed passed = Passed::kForget);
  bool scan_plain(std::string_view text);
  Scan scan_record(std::string_view text);
  Scan scan_cell(std::string_view text, std::size_t& at);
  Scan scan_quoted(std::string_view text, std::size_t& at);
  bool is_space(char c) const {
    return c <= ' ' && (c == ' ' || c == '\t' || c == '\r') && c != format_.delimiter;
  }
  std::string_view trimmed(std::string_view cell) const {
    while (!cell.empty() && is_space(cell.front())) cell.remove_prefix(1);
    while (!cell.empty() && is_space(cell.back())) cell.remove_suffix(1);
    return cell;
  }

  Input& input_;
  CsvFormat format_;
  std::vector<std::string> columns_;
  std::vector<std::string_view> cells_;
  std::deque<std::string> unescaped_;  // cells with doubled quotes
  bool has_room_ = false;              // after the cells, to read numbers fast
  bool quoted_ = false;                // some cell of the record has quotes
  std::size_t position_ = 0;           // of the next record in the input's view
  std::size_t length_ = 0;             // of the record that was scanned, its line end included
  std::size_t line_ = 0;
  std::size_t next_line_ = 1;
  std::size_t first_position_ = 0;  // of the first record after the header
  std::size_t first_line_ = 1;
};

// A cell to be written, quoted where it has to be.
std::string csv_cell(std::string_view text);

}  // namespace uaspl
