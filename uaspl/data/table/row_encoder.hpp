// Encodes rows by a schema, from the records of a table or from memory.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "uaspl/data/table/parse_number.hpp"
#include "uaspl/data/table/record_reader.hpp"
#include "uaspl/data/table/scaler.hpp"
#include "uaspl/data/table/schema.hpp"
#include "uaspl/data/target.hpp"

namespace uaspl {

// The place of each name in a list.
using Places = std::unordered_map<std::string_view, std::size_t>;

// Turns the text of cells into the numbers that a table keeps. The schema must outlive it.
class CellReader {
 public:
  explicit CellReader(const Schema& schema);

  enum class Found {
    kValue,
    kMissing,     // the value is NaN
    kUnseen,      // a category that the schema does not have; the value says so
    kUnreadable,  // no number, or no date; the value is NaN
    kOutOfRange,  // a number that no float can hold
  };
  Found read(std::size_t feature, std::string_view cell, double& value) const;

  // Returns the message for a cell that is kUnseen or kUnreadable.
  std::string complaint(std::size_t feature, std::string_view cell) const;

 private:
  const Schema& schema_;
  std::vector<Places> levels_;  // by feature
};

// Encodes the records of one file, whose columns may stand in any order and be more than needed.
// Schema and target must outlive it.
class RecordEncoder {
 public:
  struct Options {
    // Of a model: a number that its scaling would take beyond the range of float is out of range.
    const Scaler* scaler = nullptr;
    // Categories that the schema does not have, and cells that are no numbers where numbers are
    // expected, are errors. Otherwise they are unknown or missing, and are counted.
    bool strict = false;
    // A number out of range is no error: its row cannot be judged.
    bool pass_over = false;
  };

  // Throws if columns are missing, and names them. The target column is only needed if a target is
  // given.
  RecordEncoder(const Schema& schema, const Target* target, const RecordReader& reader,
                const Options& options);
  RecordEncoder(const Schema& schema, const Target* target, const RecordReader& reader)
      : RecordEncoder(schema, target, reader, Options()) {}

  // Fills `cells` (one for each feature) and the label, if wanted; -1 is a class that the target
  // does not have. Returns false if the row must be left out: a value is missing where the schema
  // drops such rows, or the class is, or it cannot be judged.
  bool encode(const RecordReader& reader, std::span<double> cells, int* label);

  // What was odd so far, by feature: categories that the schema does not have, and cells that are
  // no numbers or dates.
  std::span<const OddCells> odd() const { return odd_; }
  std::size_t out_of_range() const { return out_of_range_; }  // rows passed over

 private:
  bool encode_cell(const RecordReader& reader, std::size_t feature, double& value);
  bool take_label(const RecordReader& reader, int* label) const;

  const Schema& schema_;
  CellReader cells_;
  Options options_;
  std::vector<NumberRange> ranges_;  // of each feature
  std::vector<std::size_t> places_;  // of each feature in the record
  std::vector<bool> fast_;           // a number is first tried in the fast way
  std::optional<std::size_t> target_;
  Places classes_;
  std::vector<OddCells> odd_;
  std::size_t out_of_range_ = 0;
};

// Encodes rows in memory. The schema must outlive it.
class NamedRowEncoder {
 public:
  explicit NamedRowEncoder(const Schema& schema);
  // Returns a cell for each feature. Throws an Error that names missing columns, numbers out of
  // range, and missing values where the schema does not take them.
  std::vector<double> encode(const NamedRow& row) const;

 private:
  double encode_value(std::size_t feature, const Value& value) const;

  const Schema& schema_;
  CellReader cells_;
};

}  // namespace uaspl
