// Defines what all readers of tables have in common: records of cells under named columns, whatever
// the format of the file.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "uaspl/base/error.hpp"
#include "uaspl/data/table/parse_number.hpp"
#include "uaspl/data/table/table_format.hpp"

namespace uaspl {

// What a format declares of a column. Most formats declare nothing, and the cells decide.
struct ColumnHint {
  enum class Kind { kNone, kNumber, kNominal, kDate, kText };
  Kind kind = Kind::kNone;
  std::vector<std::string> levels = {};  // of a nominal column, in the order that was declared
  std::string date_format = {};          // of dates, as ARFF writes it: yyyy-MM-dd'T'HH:mm:ss
};

// A table may have so many columns.
constexpr std::size_t kMostColumns = std::size_t{1} << 20;

// Only what happens once a record is virtual: cells and numbers are read at full speed.
class RecordReader {
 public:
  virtual ~RecordReader() = default;
  RecordReader(const RecordReader&) = delete;
  RecordReader& operator=(const RecordReader&) = delete;

  // The names of the columns, which are all different.
  const std::vector<std::string>& columns() const { return columns_; }

  // What the file declares of each column.
  const std::vector<ColumnHint>& hints() const { return hints_; }

  // The class column, if the format says which it is.
  std::optional<std::size_t> target() const { return target_; }

  const std::string& name() const { return name_; }  // of the file, for messages

  // Reads the next record, whose cells are as many as the columns; returns false at the end.
  virtual bool next() = 0;

  // The cells of the record, valid until the next call. What is_missing() says of a cell holds for
  // all formats.
  std::span<const std::string_view> cells() const { return cells_; }

  // Gets the value of a cell that is a number, finite or not; returns false for text.
  bool number(std::size_t column, double& value) const {
    return short_number(column, value) || parse_number(cells_[column], value);
  }

  // A faster version for most finite numbers. If it returns false, the cell may still be a number.
  bool short_number(std::size_t column, double& value) const {
    return has_room_ && parse_short_number(cells_[column], value);
  }

  // Whether short_number() can be used: a reader of another one's cells passes it on.
  bool has_room() const { return has_room_; }

  std::size_t line() const { return line_; }  // the line on which the record begins, from 1

  // Starts again from the first record; the input must be rewindable.
  virtual void rewind() = 0;

  // Passes the whole input to find out how much there is, and starts again.
  struct Extent {
    std::size_t records;  // an upper bound of those that have something in every cell
    std::size_t bytes;
  };
  virtual Extent extent() = 0;

  // What was done to the bytes so that they could be read, in sentences for people; all of it is
  // known after the last record.
  virtual std::vector<std::string> notes() const {
    return origin_ ? origin_->notes() : std::vector<std::string>();
  }

  // Keeps what the reader reads from as long as the reader.
  class Origin {
   public:
    Origin() = default;
    virtual ~Origin() = default;
    Origin(const Origin&) = delete;
    Origin& operator=(const Origin&) = delete;
    virtual std::vector<std::string> notes() const = 0;
  };
  void keep(std::unique_ptr<Origin> origin) { origin_ = std::move(origin); }

  // Makes an error about a cell of the record, with file, line, column and what is wrong with it.
  Error error(std::size_t column, std::string_view what) const;

 protected:
  explicit RecordReader(std::string name) : name_(std::move(name)) {}

  std::vector<std::string> columns_;
  std::vector<ColumnHint> hints_;
  std::optional<std::size_t> target_;
  std::vector<std::string_view> cells_;
  bool has_room_ = false;  // kNumberRoom bytes can be read from the start of each cell
  std::size_t line_ = 0;

 private:
  std::string name_;
  std::unique_ptr<Origin> origin_;
};

}  // namespace uaspl
