// The columns of models as JSON, see schema_json.hpp.
#include "uaspl/model/schema_json.hpp"

#include <algorithm>
#include <array>
#include <span>

#include "uaspl/base/error.hpp"
#include "uaspl/io/json.hpp"

namespace uaspl {
namespace {

using nlohmann::json;

constexpr std::array<std::string_view, 4> kMissingNames = {"drop", "mean", "error", "keep"};
constexpr std::array<std::string_view, 3> kKindNames = {"number", "category", "date"};
constexpr std::array<std::string_view, 3> kPartNames = {"month", "weekday", "time"};

// Returns the place of a name, or throws an Error that says what it should have been.
std::size_t place_of(std::string_view name, std::span<const std::string_view> names,
                     const char* what) {
  const auto found = std::ranges::find(names, name);
  if (found == names.end()) throw Error(std::string("an unknown ") + what);
  return static_cast<std::size_t>(found - names.begin());
}

template <typename Value>
Value value_named(const std::string& name, std::span<const Value> values, const char* what) {
  for (const Value value : values)
    if (name_of(value) == name) return value;
  throw Error(std::string("an unknown ") + what);
}

json to_json(const FeatureColumn& column) {
  json one = {{"name", column.name}, {"levels", column.levels}};
  const bool told_by_levels = column.categorical() == !column.levels.empty();
  if (!told_by_levels || column.kind == ColumnKind::kDate)
    one["kind"] = kKindNames[static_cast<std::size_t>(column.kind)];
  if (!column.rare.empty()) one["rare"] = column.rare;
  if (column.decimal != '.') one["decimal"] = std::string(1, column.decimal);
  if (column.indicator) one["indicator"] = true;
  if (column.median != 0.0) one["median"] = column.median;
  if (column.kind != ColumnKind::kDate) return one;
  one["order"] = name_of(column.order);
  one["parts"] = json::array();
  const bool parts[] = {column.parts.months, column.parts.weekdays, column.parts.times};
  for (std::size_t i = 0; i < kPartNames.size(); ++i)
    if (parts[i]) one["parts"].push_back(kPartNames[i]);
  return one;
}

void read_date(const json& value, FeatureColumn& column) {
  column.order = value_named<DateOrder>(text(value, "order"), kDateOrders, "order of dates");
  for (const std::string& part : texts(value, "parts")) {
    bool* const parts[] = {&column.parts.months, &column.parts.weekdays, &column.parts.times};
    *parts[place_of(part, kPartNames, "part of a date")] = true;
  }
}

FeatureColumn column_from(const json& value) {
  FeatureColumn column{.name = text(value, "name"), .levels = texts(value, "levels")};
  if (value.contains("kind"))
    column.kind =
        static_cast<ColumnKind>(place_of(text(value, "kind"), kKindNames, "kind of column"));
  else if (!column.levels.empty())
    column.kind = ColumnKind::kCategory;
  if (value.contains("rare")) column.rare = texts(value, "rare");
  if (value.contains("decimal")) {
    const std::string sign = text(value, "decimal");
    if (sign != "." && sign != ",") throw Error("an unknown decimal sign");
    column.decimal = sign.front();
  }
  if (value.contains("indicator")) {
    expect(value["indicator"].is_boolean(), value["indicator"], "indicator", "true or false");
    column.indicator = value["indicator"].get<bool>();
  }
  if (value.contains("median")) column.median = number(value, "median");
  if (column.kind == ColumnKind::kDate) read_date(value, column);
  return column;
}

}  // namespace

bool needs_more_than_levels(const Schema& schema) {
  if (schema.missing == Missing::kKeep) return true;
  return std::ranges::any_of(schema.features, [](const FeatureColumn& column) {
    return !reads_like(column,
                       {.name = column.name,
                        .kind = column.levels.empty() ? ColumnKind::kNumber : ColumnKind::kCategory,
                        .levels = column.levels});
  });
}

json schema_json(const Schema& schema, const Target& target) {
  json value = {{"target", target.name},
                {"classes", target.classes},
                {"features", json::array()},
                {"missing", kMissingNames[static_cast<std::size_t>(schema.missing)]}};
  for (const FeatureColumn& column : schema.features) value["features"].push_back(to_json(column));
  for (const LeftOut& column : schema.left_out)
    value["left_out"].push_back({{"name", column.name}, {"why", name_of(column.why)}});
  return value;
}

Schema schema_from(const json& value) {
  Schema schema;
  const json& features = part(value, "features");
  expect(features.is_array(), features, "features", "a list of columns");
  for (const json& column : features) schema.features.push_back(column_from(column));
  schema.missing = static_cast<Missing>(
      place_of(text(value, "missing"), kMissingNames, "treatment of missing values"));
  if (!value.contains("left_out")) return schema;
  expect(value["left_out"].is_array(), value["left_out"], "left_out", "a list of columns");
  for (const json& column : value["left_out"])
    schema.left_out.push_back(
        {text(column, "name"), value_named<LeftOut::Why>(text(column, "why"), kReasonsToLeaveOut,
                                                         "reason to leave a column out")});
  return schema;
}

}  // namespace uaspl
