// Words for tables, see describe.hpp.
#include "uaspl/data/table/describe.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "uaspl/base/text.hpp"

namespace uaspl {
namespace {

constexpr std::size_t kManyClasses = 50;
constexpr std::size_t kFewRows = 5;  // of a class

std::string_view kind_of(const FeatureColumn& column) {
  constexpr std::string_view kNames[] = {"number", "category", "date"};
  return kNames[static_cast<std::size_t>(column.kind)];
}

std::string levels_of(const FeatureColumn& column) {
  std::string text = fmt::format("{} levels: {}", column.levels.size(), list_some(column.levels));
  if (!column.rare.empty())
    text += fmt::format("; {} rare ones share one more", column.rare.size());
  return text;
}

// How cells are read, where that is not the usual way.
std::string way_of(const FeatureColumn& column) {
  if (column.kind == ColumnKind::kDate)
    return fmt::format("in the order {}", name_of(column.order));
  return column.decimal == ',' ? "with a decimal comma" : "";
}

std::string join(const std::string& a, const std::string& b) {
  return a.empty() || b.empty() ? a + b : a + ", " + b;
}

ColumnDescription describe(const Table& table, std::size_t f) {
  const FeatureColumn& column = table.schema.features[f];
  ColumnDescription words{.name = column.name, .kind = std::string(kind_of(column)), .content = {}};
  double low = std::numeric_limits<double>::infinity();
  double high = -low;
  for (std::size_t i = 0; i < table.features.rows(); ++i) {
    const double cell = table.features(i, f);
    words.missing += std::isnan(cell) ? 1 : 0;
    if (std::isnan(cell)) continue;
    low = std::min(low, cell);
    high = std::max(high, cell);
  }
  const bool date = column.kind == ColumnKind::kDate;
  const auto write = [&](double x) { return date ? write_date(x) : fmt::format("{:.6g}", x); };
  if (column.categorical())
    words.content = levels_of(column);
  else if (low <= high)
    words.content = join(fmt::format("{} to {}", write(low), write(high)), way_of(column));
  if (f < table.odd.size()) words.odd = table.odd[f];
  return words;
}

ColumnDescription describe(const Target& target) {
  return {
      .name = target.name,
      .kind = "class",
      .content = fmt::format("{} classes: {}", target.classes.size(), list_some(target.classes))};
}

void add_left_out(const Schema& schema, std::vector<ColumnDescription>& all) {
  for (const LeftOut& column : schema.left_out)
    all.push_back(
        {.name = column.name, .kind = "left out", .content = std::string(words_for(column.why))});
}

}  // namespace

std::vector<ColumnDescription> describe_columns(const Dataset& data) {
  std::vector<ColumnDescription> all{describe(data.target)};
  for (std::size_t f = 0; f < data.table().schema.features.size(); ++f)
    all.push_back(describe(data.table(), f));
  add_left_out(data.table().schema, all);
  return all;
}

std::vector<ColumnDescription> describe_columns(const Schema& schema, const Target& target) {
  std::vector<ColumnDescription> all{describe(target)};
  for (const FeatureColumn& column : schema.features)
    all.push_back({.name = column.name,
                   .kind = std::string(kind_of(column)),
                   .content = join(column.categorical() ? levels_of(column) : way_of(column),
                                   column.indicator ? "missing cells are seen" : "")});
  add_left_out(schema, all);
  return all;
}

std::vector<std::string> doubts(const Dataset& data) {
  const Target& target = data.target;
  std::vector<std::string> all;
  std::vector<std::size_t> rows(target.classes.size());
  for (const int label : data.labels)
    if (label >= 0) ++rows[static_cast<std::size_t>(label)];
  if (rows.size() > kManyClasses)
    all.push_back(fmt::format("column '{}' has {} classes; is it the class?",
                              printable(target.name), rows.size()));
  std::vector<std::string> rare;
  for (std::size_t k = 0; k < rows.size(); ++k)
    if (rows[k] < kFewRows) rare.push_back(fmt::format("{} ({})", target.classes[k], rows[k]));
  if (!rare.empty())
    all.push_back(fmt::format("{} class(es) have fewer than {} rows and can hardly be learned: {}",
                              rare.size(), kFewRows, list_some(rare)));
  const std::size_t columns = data.table().schema.features.size();
  if (data.rows() < columns)
    all.push_back(fmt::format("fewer rows ({}) than columns ({})", data.rows(), columns));
  return all;
}

}  // namespace uaspl
