// Hands out the lines of a text one after the other, for the formats that go line by line.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "uaspl/base/error.hpp"
#include "uaspl/data/table/record_reader.hpp"
#include "uaspl/io/input.hpp"

namespace uaspl {

// Lines end with LF or CRLF; with CR alone, as on old Macs, where the first 64 KB have no LF. A
// UTF-8 byte order mark is passed over.
class Lines {
 public:
  // The input, of UTF-8, must outlive this.
  explicit Lines(Input& input);

  bool next();                                     // false at the end
  std::string_view line() const { return line_; }  // without its end; valid until next()
  std::size_t number() const { return number_; }   // of the line, from 1
  std::size_t bytes() const { return bytes_; }     // so far
  const std::string& name() const { return input_.name(); }
  // kNumberRoom bytes can be read from the end of the line.
  bool has_room() const { return has_room_; }
  void again() { again_ = true; }  // next() gives the same line once more
  void rewind();

  // Passes all lines, and begins again. Rows of so many columns are as many as a CellBudget allows.
  RecordReader::Extent extent(std::size_t columns);

  // Makes an error about the line, or about the place of a character in it.
  Error error(std::string_view what) const;
  Error error_at(const char* place, std::string_view what) const;

 private:
  void begin();
  void read_more();

  Input& input_;
  std::string_view line_;
  std::size_t position_ = 0;  // of the next line in the input's view
  std::size_t searched_ = 0;  // there is no line end between the two
  std::size_t number_ = 0;
  std::size_t bytes_ = 0;
  bool has_room_ = false;
  bool again_ = false;
  char line_end_ = '\n';
};

// Cuts white space off both ends.
std::string_view trim_blanks(std::string_view text);

// Keeps a table that names few of its cells from asking for any number of them: a hundred thousand
// names and a hundred thousand empty rows are a small file, and as a table ten thousand million
// cells. Throws an Error if a row that is about to be filled makes it too many for the bytes.
class CellBudget {
 public:
  void take(std::size_t cells, const Lines& lines) {
    cells_ += cells;
    if (cells_ > kFree && cells_ / kMostPerByte > lines.bytes()) refuse(cells, lines);
  }
  void rewind() { cells_ = 0; }
  static std::size_t most_rows(std::size_t columns, std::size_t bytes) {
    return (kFree + kMostPerByte * bytes) / columns + 1;
  }

 private:
  static constexpr std::size_t kFree = std::size_t{1} << 24;
  static constexpr std::size_t kMostPerByte = 1000;
  [[noreturn]] static void refuse(std::size_t columns, const Lines& lines);
  std::size_t cells_ = 0;
};

// A cell that is not written down, with room for reading a number.
inline constexpr char kZeros[2 * kNumberRoom] = "0";
constexpr std::string_view kZeroCell{kZeros, 1};
constexpr std::string_view kEmptyCell{kZeros + 1, 0};

}  // namespace uaspl
