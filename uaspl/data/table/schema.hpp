// Defines what a model knows about its columns (their names, what they hold, and how their cells
// are read) and rows in memory, by the names of their columns.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "uaspl/data/table/date.hpp"

namespace uaspl {

enum class Missing {
  kDrop,   // rows with a missing cell are left out and counted
  kMean,   // a missing cell counts as the column's mean
  kError,  // a missing cell is an error
  kKeep,   // a missing cell counts as the median, or is a level of its own, and the network sees it
};

// Says whether a cell stands for an unknown value: empty, `?`, `NA`, `N/A`, `#N/A`, `NaN`, `NULL`
// (in any case).
bool is_missing(std::string_view cell);

// Returns the name of a class: `1.0` and `1` are the same class.
std::string_view class_name(std::string_view cell);

enum class ColumnKind { kNumber, kCategory, kDate };

// How a table keeps a cell of a category that is none of the column's levels.
inline constexpr double kUnseenLevel = -1.0;

// A column that is learned from. A table keeps one number for each of its cells: the number itself,
// the place of a category's level, or a date's day (date.hpp); NaN is a missing cell. What a
// network reads is made of these by the encoder (expansion.hpp).
struct FeatureColumn {
  std::string name;
  ColumnKind kind = ColumnKind::kNumber;

  // Of a category.
  std::vector<std::string> levels = {};  // their places are 0, 1, ...
  std::vector<std::string> rare = {};    // levels of few rows, which share the place after these

  // How cells are read.
  char decimal = '.';                          // of numbers; `,`: 1.000,5 is a thousand and a half
  DateOrder order = DateOrder::kYearMonthDay;  // of dates
  DateParts parts = {};                        // of dates: those that vary

  // Fitted on the training rows, for missing cells that are kept.
  bool indicator = false;  // there were missing cells: the network gets an input that says so
  double median = 0.0;     // of numbers and dates

  bool categorical() const { return kind == ColumnKind::kCategory; }
  std::size_t places() const { return levels.size() + (rare.empty() ? 0 : 1); }
  std::size_t width() const;  // in inputs of the network
};

// Says whether two columns read the same cells in the same way.
bool reads_like(const FeatureColumn& a, const FeatureColumn& b);

// A column that is not learned from, and why.
struct LeftOut {
  enum class Why { kDropped, kEmpty, kConstant, kId, kText };
  std::string name;
  Why why = Why::kDropped;
  bool operator==(const LeftOut&) const = default;
};
inline constexpr LeftOut::Why kReasonsToLeaveOut[] = {LeftOut::Why::kDropped, LeftOut::Why::kEmpty,
                                                      LeftOut::Why::kConstant, LeftOut::Why::kId,
                                                      LeftOut::Why::kText};
std::string_view name_of(LeftOut::Why why);    // one word
std::string_view words_for(LeftOut::Why why);  // for people

struct Schema {
  std::vector<FeatureColumn> features;
  Missing missing = Missing::kDrop;
  std::vector<LeftOut> left_out = {};

  std::size_t width() const;                     // of an encoded row
  std::vector<std::string> input_names() const;  // one for each input, e.g. `colour=red`
};

// The cells of a column that could not be read as what they were expected to be.
struct OddCells {
  std::size_t count = 0;
  std::vector<std::string> examples = {};  // a few different ones, printable
  std::size_t line = 0;                    // of the first
  void add(std::string_view cell, std::size_t at_line);
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
