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

// Encodes the levels of a schema's categories. The schema must outlive it.
class LevelEncoder {
 public:
  explicit LevelEncoder(const Schema& schema);
  // Fills the indicators of a category; returns false if it has no such level.
  bool encode(std::size_t feature, std::string_view level, std::span<double> out) const;
  // Returns the message for such a level.
  std::string complaint(std::size_t feature, std::string_view level) const;

 private:
  const Schema& schema_;
  std::vector<Places> levels_;  // by feature
};

// Encodes the records of one file, whose columns may stand in any order and be more than needed.
// Schema and target must outlive it.
class RecordEncoder {
 public:
  // Throws if columns are missing, and names them. The target column is only needed if a target is
  // given. Where the scaling of a model is given too, a number that it would take beyond the range
  // of float is an error here, which names line and column.
  RecordEncoder(const Schema& schema, const Target* target, const RecordReader& reader,
                const Scaler* scaler = nullptr);

  // Fills `inputs` (schema.width() values, NaN if missing) and the label, if wanted; -1 is a class
  // that the target does not have. Returns false if the row must be left out.
  bool encode(const RecordReader& reader, std::span<double> inputs, int* label) const;

 private:
  const Schema& schema_;
  LevelEncoder levels_;
  std::vector<NumberRange> ranges_;  // of each feature
  std::vector<std::size_t> places_;  // of each feature in the record
  std::optional<std::size_t> target_;
  Places classes_;
};

// Encodes rows in memory. The schema must outlive it.
class NamedRowEncoder {
 public:
  explicit NamedRowEncoder(const Schema& schema);
  // Returns schema.width() values, NaN if missing. Throws an Error that names missing columns, and
  // values that a column does not have.
  std::vector<double> encode(const NamedRow& row) const;

 private:
  void encode_value(std::size_t feature, const Value& value, std::span<double> out) const;

  const Schema& schema_;
  LevelEncoder levels_;
};

}  // namespace uaspl
