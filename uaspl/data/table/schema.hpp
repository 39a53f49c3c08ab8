// Defines what a model knows about its columns (their names, and which are categories with which
// levels) and rows in memory, by the names of their columns.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace uaspl {

enum class Missing {
  kDrop,   // rows with a missing cell are left out and counted
  kMean,   // a missing cell counts as the column's mean
  kError,  // a missing cell is an error
};

// Says whether a cell stands for an unknown value: empty, `?`, `NA`, `NaN` (in any case).
bool is_missing(std::string_view cell);

// Returns the name of a class: `1.0` and `1` are the same class.
std::string_view class_name(std::string_view cell);

struct FeatureColumn {
  std::string name;
  std::vector<std::string>
      levels;  // of a categorical column, in the order of their indicator columns
  bool categorical() const { return !levels.empty(); }
  std::size_t width() const { return categorical() ? levels.size() : 1; }
  bool operator==(const FeatureColumn&) const = default;
};

struct Schema {
  std::vector<FeatureColumn> features;
  Missing missing = Missing::kDrop;

  std::size_t width() const;                     // of an encoded row
  std::vector<std::string> input_names() const;  // one for each encoded column, e.g. `colour=red`
};

// A cell of a row in memory: a number, or text. NaN and the empty text are missing values.
class Value {
 public:
  template <typename Number>
  requires std::is_arithmetic_v<Number> Value(Number number)
      : value_(static_cast<double>(number)) {}
  Value(std::string text) : value_(std::move(text)) {}
  Value(std::string_view text) : value_(std::string(text)) {}
  Value(const char* text) : value_(std::string(text)) {}

  const double* number() const { return std::get_if<double>(&value_); }
  const std::string* text() const { return std::get_if<std::string>(&value_); }

 private:
  std::variant<double, std::string> value_;
};

// A row by the names of its columns, in any order; those that are not needed are ignored.
using NamedRow = std::map<std::string, Value, std::less<>>;

}  // namespace uaspl
