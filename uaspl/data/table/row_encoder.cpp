// Encodes rows, see row_encoder.hpp.
#include "uaspl/data/table/row_encoder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "uaspl/base/text.hpp"

namespace uaspl {
namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

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

}  // namespace

LevelEncoder::LevelEncoder(const Schema& schema) : schema_(schema) {
  for (const FeatureColumn& feature : schema.features) levels_.push_back(places_of(feature.levels));
}

bool LevelEncoder::encode(std::size_t feature, std::string_view level,
                          std::span<double> out) const {
  const auto found = levels_[feature].find(level);
  if (found == levels_[feature].end()) return false;
  std::ranges::fill(out, 0.0);
  out[found->second] = 1.0;
  return true;
}

std::string LevelEncoder::complaint(std::size_t feature, std::string_view level) const {
  return fmt::format("unknown category '{}', expected one of {}", printable(level),
                     list_some(schema_.features[feature].levels));
}

RecordEncoder::RecordEncoder(const Schema& schema, const Target* target, const RecordReader& reader,
                             const Scaler* scaler)
    : schema_(schema), levels_(schema), ranges_(schema.features.size()) {
  std::size_t input = 0;
  for (std::size_t f = 0; scaler && f < ranges_.size(); input += schema.features[f++].width())
    ranges_[f] = range_of(*scaler, input);
  const Places columns = places_of(reader.columns());
  std::vector<std::string> absent;
  const auto place_of = [&](const std::string& name) {
    const auto found = columns.find(name);
    if (found == columns.end()) absent.push_back(name);
    return found == columns.end() ? 0 : found->second;
  };
  for (const FeatureColumn& feature : schema.features) places_.push_back(place_of(feature.name));
  if (target) {
    target_ = place_of(target->name);
    classes_ = places_of(target->classes);
  }
  if (!absent.empty())
    throw Error(fmt::format("{}: {} column(s) missing: {}", reader.name(), absent.size(),
                            list_some(absent)));
}

bool RecordEncoder::encode(const RecordReader& reader, std::span<double> inputs, int* label) const {
  const auto cells = reader.cells();
  const auto missing = [&](std::size_t place) { return is_missing(cells[place]); };
  if (schema_.missing == Missing::kDrop && std::ranges::any_of(places_, missing)) return false;
  if (target_) {
    const std::string_view cell = cells[*target_];
    if (is_missing(cell)) {
      if (schema_.missing == Missing::kError) throw reader.error(*target_, "the class is missing");
      return false;
    }
    const auto found = classes_.find(class_name(cell));
    *label = found == classes_.end() ? -1 : static_cast<int>(found->second);
  }
  std::size_t at = 0;
  for (std::size_t f = 0; f < places_.size(); ++f) {
    const std::string_view cell = cells[places_[f]];
    const std::span<double> out = inputs.subspan(at, schema_.features[f].width());
    at += out.size();
    if (is_missing(cell)) {
      if (schema_.missing == Missing::kError) throw reader.error(places_[f], "a value is missing");
      std::ranges::fill(out, kUnknown);
    } else if (schema_.features[f].categorical()) {
      if (!levels_.encode(f, cell, out)) throw reader.error(places_[f], levels_.complaint(f, cell));
    } else {
      if (!reader.number(places_[f], out[0]))
        throw reader.error(places_[f], fmt::format("'{}' is not a number", printable(cell)));
      if (!ranges_[f].contains(out[0]))
        throw reader.error(places_[f], number_complaint(cell, out[0]));
    }
  }
  return true;
}

NamedRowEncoder::NamedRowEncoder(const Schema& schema) : schema_(schema), levels_(schema) {}

std::vector<double> NamedRowEncoder::encode(const NamedRow& row) const {
  std::vector<double> inputs(schema_.width());
  std::vector<std::string> absent;
  std::size_t at = 0;
  for (std::size_t f = 0; f < schema_.features.size(); ++f) {
    const FeatureColumn& feature = schema_.features[f];
    const std::span<double> out = std::span(inputs).subspan(at, feature.width());
    at += out.size();
    if (const auto found = row.find(feature.name); found != row.end())
      encode_value(f, found->second, out);
    else
      absent.push_back(feature.name);
  }
  if (!absent.empty())
    throw Error(fmt::format("row: {} column(s) missing: {}", absent.size(), list_some(absent)));
  return inputs;
}

void NamedRowEncoder::encode_value(std::size_t feature, const Value& value,
                                   std::span<double> out) const {
  const FeatureColumn& column = schema_.features[feature];
  const auto fail = [&](const std::string& what) {
    throw Error(fmt::format("row: column '{}': {}", printable(column.name), what));
  };
  const bool missing = value.text() ? is_missing(*value.text()) : std::isnan(*value.number());
  if (missing) {
    if (schema_.missing != Missing::kMean) fail("a value is missing");
    std::ranges::fill(out, kUnknown);
  } else if (column.categorical()) {
    const std::string level = value.text() ? *value.text() : level_of(column, *value.number());
    if (!levels_.encode(feature, level, out)) fail(levels_.complaint(feature, level));
  } else {
    if (value.number())
      out[0] = *value.number();
    else if (!parse_number(*value.text(), out[0]))
      fail(fmt::format("'{}' is not a number", printable(*value.text())));
    if (!NumberRange().contains(out[0]))
      fail(number_complaint(value.text() ? *value.text() : fmt::format("{}", out[0]), out[0]));
  }
}

}  // namespace uaspl
