// What a model knows of its columns: their names, which are categories with which levels, the
// classes; and the encoding of a CSV record by it.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "uaspl/data/csv.hpp"

namespace uaspl {

enum class Missing {
  kDrop,   // rows with a missing cell are left out and counted
  kMean,   // a missing cell counts as the column's mean
  kError,  // a missing cell is an error
};

// Cells that say that a value is not known: empty, `?`, `NA`, `NaN` (in any case).
bool is_missing(std::string_view cell);

// A class as it is written: `1.0` and `1` are the same class.
std::string_view class_name(std::string_view cell);

struct FeatureColumn {
  std::string name;
  std::vector<std::string>
      levels;  // of a categorical column, in the order of their indicator columns
  bool categorical() const { return !levels.empty(); }
  std::size_t width() const { return categorical() ? levels.size() : 1; }
};

struct Schema {
  std::string target;
  std::vector<std::string> classes;  // label k is classes[k]
  std::vector<FeatureColumn> features;
  Missing missing = Missing::kDrop;

  std::size_t width() const;                     // of an encoded row
  std::vector<std::string> input_names() const;  // one an encoded column, e.g. `colour=red`
};

// Encodes the records of one file, whose columns may stand in any order and be more than needed.
class RowEncoder {
 public:
  // Fails, naming them, if columns are missing. The target is looked for only where it is wanted.
  RowEncoder(const Schema& schema, const CsvReader& reader, bool with_target);

  // Fills `inputs` (schema.width() values, NaN where missing) and the label, if wanted; -1 is a
  // class that the schema does not know. False: the row is to be left out.
  bool encode(const CsvReader& reader, std::span<double> inputs, int* label) const;

 private:
  using Places = std::unordered_map<std::string_view, std::size_t>;
  void encode_level(const CsvReader& reader, std::size_t feature, std::string_view cell,
                    std::span<double> out) const;

  const Schema& schema_;
  std::vector<std::size_t> places_;  // of each feature in the record
  std::optional<std::size_t> target_;
  std::vector<Places> levels_;  // of each feature
  Places classes_;
};

}  // namespace uaspl
