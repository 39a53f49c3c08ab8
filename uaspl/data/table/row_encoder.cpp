// Encodes rows, see row_encoder.hpp.
#include "uaspl/data/table/row_encoder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "uaspl/base/text.hpp"
#include "uaspl/data/table/written_number.hpp"

namespace uaspl {
namespace {

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

Places places_of(const std::vector<std::string>& names) {
  Places places;
  for (std::size_t i = 0; i < names.size(); ++i) places.emplace(names[i], i);
  return places;
}

// Returns the level that equals this number, however the level is written.
std::string level_of(const FeatureColumn& column, double number) {
  for (const std::string& level : column.levels)
    if (double other = 0.0; parse_number(level, other) && other == number) return level;
  return fmt::format("{}", number);
}

bool takes_missing(const Schema& schema) {
  return schema.missing == Missing::kMean || schema.missing == Missing::kKeep;
}

}  // namespace

CellReader::CellReader(const Schema& schema) : schema_(schema) {
  for (const FeatureColumn& feature : schema.features) {
    Places& places = levels_.emplace_back(places_of(feature.levels));
    for (const std::string& level : feature.rare) places.emplace(level, feature.levels.size());
  }
}

CellReader::Found CellReader::read(std::size_t feature, std::string_view cell,
                                   double& value) const {
  const FeatureColumn& column = schema_.features[feature];
  value = kMissing;
  if (is_missing(cell)) return Found::kMissing;
  if (column.categorical()) {
    const auto found = levels_[feature].find(cell);
    const bool known = found != levels_[feature].end();
    value = known ? static_cast<double>(found->second) : kUnseenLevel;
    return known ? Found::kValue : Found::kUnseen;
  }
  if (column.kind == ColumnKind::kDate) {
    const auto day = parse_date(cell, column.order);
    value = day.value_or(kMissing);
    return day ? Found::kValue : Found::kUnreadable;
  }
  double number = 0.0;
  if (!parse_written_number(cell, column.decimal, number)) return Found::kUnreadable;
  value = number;
  return NumberRange().contains(number) ? Found::kValue : Found::kOutOfRange;
}

std::string CellReader::complaint(std::size_t feature, std::string_view cell) const {
  const FeatureColumn& column = schema_.features[feature];
  if (column.categorical())
    return fmt::format("unknown category '{}', expected one of {}", printable(cell),
                       list_some(column.levels));
  if (column.kind == ColumnKind::kDate)
    return fmt::format("'{}' is not a date in the order {}", printable(cell),
                       name_of(column.order));
  return fmt::format("'{}' is not a number", printable(cell));
}

RecordEncoder::RecordEncoder(const Schema& schema, const Target* target, const RecordReader& reader,
                             const Options& options)
    : schema_(schema),
      cells_(schema),
      options_(options),
      ranges_(schema.features.size()),
      odd_(schema.features.size()) {
  std::size_t input = 0;
  for (std::size_t f = 0; f < ranges_.size(); input += schema.features[f++].width())
    if (options.scaler && !schema.features[f].categorical())
      ranges_[f] = range_of(*options.scaler, input);
  const Places columns = places_of(reader.columns());
  std::vector<std::string> absent;
  const auto place_of = [&](const std::string& name) {
    const auto found = columns.find(name);
    if (found == columns.end()) absent.push_back(name);
    return found == columns.end() ? 0 : found->second;
  };
  for (const FeatureColumn& feature : schema.features) {
    places_.push_back(place_of(feature.name));
    fast_.push_back(feature.kind == ColumnKind::kNumber && feature.decimal == '.');
  }
  if (target) {
    target_ = place_of(target->name);
    classes_ = places_of(target->classes);
  }
  if (!absent.empty())
    throw Error(fmt::format("{}: {} column(s) missing: {}", reader.name(), absent.size(),
                            list_some(absent)));
}

bool RecordEncoder::take_label(const RecordReader& reader, int* label) const {
  if (!target_) return true;
  const std::string_view cell = reader.cells()[*target_];
  if (is_missing(cell)) {
    if (schema_.missing == Missing::kError) throw reader.error(*target_, "the class is missing");
    return false;
  }
  const auto found = classes_.find(class_name(cell));
  *label = found == classes_.end() ? -1 : static_cast<int>(found->second);
  return true;
}

// Returns false if the row must be left out because of this cell.
bool RecordEncoder::encode_cell(const RecordReader& reader, std::size_t feature, double& value) {
  using Found = CellReader::Found;
  const std::size_t place = places_[feature];
  Found found = Found::kValue;
  if (!fast_[feature] || !reader.short_number(place, value))
    found = cells_.read(feature, reader.cells()[place], value);
  const std::string_view cell = reader.cells()[place];
  if (found == Found::kUnseen || found == Found::kUnreadable) {
    const bool fatal = found == Found::kUnreadable && schema_.missing == Missing::kError;
    if (options_.strict || fatal) throw reader.error(place, cells_.complaint(feature, cell));
    odd_[feature].add(cell, reader.line());
  }
  if (std::isnan(value) && found != Found::kOutOfRange) {
    if (schema_.missing == Missing::kError) throw reader.error(place, "a value is missing");
    return schema_.missing != Missing::kDrop;
  }
  if (schema_.features[feature].categorical() ||
      (found != Found::kOutOfRange && ranges_[feature].contains(value)))
    return true;
  if (options_.strict || !options_.pass_over)
    throw reader.error(place, number_complaint(cell, value));
  ++out_of_range_;
  return false;
}

bool RecordEncoder::encode(const RecordReader& reader, std::span<double> cells, int* label) {
  const auto record = reader.cells();
  const auto missing = [&](std::size_t place) { return is_missing(record[place]); };
  if (schema_.missing == Missing::kDrop && std::ranges::any_of(places_, missing)) return false;
  if (!take_label(reader, label)) return false;
  for (std::size_t f = 0; f < places_.size(); ++f)
    if (!encode_cell(reader, f, cells[f])) return false;
  return true;
}

NamedRowEncoder::NamedRowEncoder(const Schema& schema) : schema_(schema), cells_(schema) {}

std::vector<double> NamedRowEncoder::encode(const NamedRow& row) const {
  std::vector<double> cells;
  std::vector<std::string> absent;
  for (std::size_t f = 0; f < schema_.features.size(); ++f) {
    if (const auto found = row.find(schema_.features[f].name); found != row.end())
      cells.push_back(encode_value(f, found->second));
    else
      absent.push_back(schema_.features[f].name);
  }
  if (!absent.empty())
    throw Error(fmt::format("row: {} column(s) missing: {}", absent.size(), list_some(absent)));
  return cells;
}

double NamedRowEncoder::encode_value(std::size_t feature, const Value& value) const {
  using Found = CellReader::Found;
  const FeatureColumn& column = schema_.features[feature];
  const auto fail = [&](const std::string& what) {
    throw Error(fmt::format("row: column '{}': {}", printable(column.name), what));
  };
  const auto as_text = [&] {
    if (value.text()) return *value.text();
    return std::isnan(*value.number()) ? "" : level_of(column, *value.number());
  };
  double cell = kMissing;
  Found found = Found::kMissing;
  if (value.text() || column.categorical()) {
    found = cells_.read(feature, as_text(), cell);
  } else if (!std::isnan(*value.number())) {
    cell = *value.number();
    found = NumberRange().contains(cell) ? Found::kValue : Found::kOutOfRange;
  }
  if (found == Found::kOutOfRange)
    fail(number_complaint(value.text() ? *value.text() : fmt::format("{}", cell), cell));
  if (found == Found::kUnreadable && !takes_missing(schema_))
    fail(cells_.complaint(feature, *value.text()));
  if (found == Found::kMissing && !takes_missing(schema_)) fail("a value is missing");
  return cell;
}

}  // namespace uaspl
