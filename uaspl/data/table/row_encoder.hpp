// Encodes rows by a schema, from the records of a CSV file or from memory.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "uaspl/data/table/csv.hpp"
#include "uaspl/data/table/schema.hpp"
#include "uaspl/data/target.hpp"

namespace uaspl {

// Where names stand in a list.
using Places = std::unordered_map<std::string_view, std::size_t>;

// The levels of a schema's categories. The schema must outlive it.
class LevelEncoder {
 public:
  explicit LevelEncoder(const Schema& schema);
  // Fills the indicators of a category; false where it has no such level.
  bool encode(std::size_t feature, std::string_view level, std::span<double> out) const;
  // What is wrong with such a level.
  std::string complaint(std::size_t feature, std::string_view level) const;

 private:
  const Schema& schema_;
  std::vector<Places> levels_;  // of each feature
};

// Encodes the records of one file, whose columns may stand in any order and be more than needed.
// Schema and target must outlive it.
class RecordEncoder {
 public:
  // Fails, naming them, if columns are missing. The target is looked for only where one is given.
  RecordEncoder(const Schema& schema, const Target* target, const CsvReader& reader);

  // Fills `inputs` (schema.width() values, NaN where missing) and the label, if wanted; -1 is a
  // class that the target does not have. False: the row is to be left out.
  bool encode(const CsvReader& reader, std::span<double> inputs, int* label) const;

 private:
  const Schema& schema_;
  LevelEncoder levels_;
  std::vector<std::size_t> places_;  // of each feature in the record
  std::optional<std::size_t> target_;
  Places classes_;
};

// The schema must outlive it.
class NamedRowEncoder {
 public:
  explicit NamedRowEncoder(const Schema& schema);
  // schema.width() values, NaN where missing. An Error names columns that are missing and values
  // that are none of the column's.
  std::vector<double> encode(const NamedRow& row) const;

 private:
  void encode_value(std::size_t feature, const Value& value, std::span<double> out) const;

  const Schema& schema_;
  LevelEncoder levels_;
};

}  // namespace uaspl
