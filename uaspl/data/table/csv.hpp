// Reads the records of a CSV file (RFC 4180): quotes, embedded newlines, line ends of any system,
// byte order mark, any delimiter.
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
  char delimiter = '\0';  // none: the most frequent of `,` `;` tab `|` in the first line
  bool header = true;     // otherwise the columns are called c1, c2, ...
};

class CsvReader {
 public:
  // The input must outlive the reader.
  CsvReader(Input& input, const CsvFormat& format);

  // The names of the columns, which are all different.
  const std::vector<std::string>& columns() const { return columns_; }

  const std::string& name() const { return input_.name(); }

  // Reads the next record; returns false at the end. Empty lines are skipped; a record whose number
  // of cells is not that of the columns is an error.
  bool next();

  // The cells of the record, valid until the next call. White space around cells without quotes is
  // cut.
  std::span<const std::string_view> cells() const { return cells_; }

  // Gets the value of a cell that is a number, finite or not; returns false for text.
  bool number(std::size_t column, double& value) const {
    return short_number(column, value) || parse_number(cells_[column], value);
  }

  // A faster version for most finite numbers. If it returns false, the cell may still be a number.
  bool short_number(std::size_t column, double& value) const {
    return has_room_ && parse_short_number(cells_[column], value);
  }

  std::size_t line() const { return line_; }  // the line on which the record begins, from 1

  // Starts again from the first record; the input must be rewindable.
  void rewind();

  // Passes the whole input to find out how much there is, and starts again.
  struct Extent {
    std::size_t records;  // an upper bound of those that have something in every cell
    std::size_t bytes;
  };
  Extent extent();

  // Makes an error about a cell of the record, with file, line, column and what is wrong with it.
  Error error(std::size_t column, std::string_view what) const;

 private:
  enum class Scan { kDone, kIncomplete };
  void begin();
  void read_more(std::size_t passed);
  void check_bytes();
  std::size_t find_line_end();
  void choose_delimiter(std::string_view first_line);
  void name_columns();
  enum class Passed { kForget, kKeep };
  bool read_record(Passed passed = Passed::kForget);
  bool scan_plain(std::string_view text);
  Scan scan_record(std::string_view text);
  Scan scan_cell(std::string_view text, std::size_t& at);
  Scan scan_quoted(std::string_view text, std::size_t& at);
  bool is_space(char c) const {
    return c <= ' ' && (c == ' ' || c == '\t' || c == '\r') && c != format_.delimiter &&
           c != line_end_;
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
  bool has_room_ = false;              // bytes follow the cells, so numbers can be read fast
  bool quoted_ = false;                // some cell of the record has quotes
  std::size_t position_ = 0;           // of the next record in the input's view
  std::size_t length_ = 0;             // of the record that was scanned, its line end included
  std::size_t line_ = 0;
  std::size_t next_line_ = 1;
  std::size_t checked_ = 0;  // so many bytes of the view are known to be text
  char line_end_ = '\n';     // or that of old Macs, a carriage return alone
};

}  // namespace uaspl
