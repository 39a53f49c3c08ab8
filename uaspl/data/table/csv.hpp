// Reads the records of a CSV file (RFC 4180): quotes, embedded newlines, line ends of any system,
// byte order mark, any delimiter.
#pragma once

#include <cstddef>
#include <deque>
#include <string>
#include <string_view>

#include "uaspl/data/table/record_reader.hpp"
#include "uaspl/io/input.hpp"

namespace uaspl {

class CsvReader final : public RecordReader {
 public:
  // The input, of UTF-8, must outlive the reader.
  CsvReader(Input& input, const TableFormat& format);

  // Reads the next record. Empty lines are skipped; a record whose number of cells is not that of
  // the columns is an error. White space around cells without quotes is cut.
  bool next() override;
  void rewind() override;
  Extent extent() override;

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
  TableFormat format_;
  std::deque<std::string> unescaped_;  // cells with doubled quotes
  bool quoted_ = false;                // some cell of the record has quotes
  std::size_t position_ = 0;           // of the next record in the input's view
  std::size_t length_ = 0;             // of the record that was scanned, its line end included
  std::size_t next_line_ = 1;
  std::size_t checked_ = 0;  // so many bytes of the view are known to be text
  char line_end_ = '\n';     // or that of old Macs, a carriage return alone
};

}  // namespace uaspl
