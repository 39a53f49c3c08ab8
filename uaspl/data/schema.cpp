// Schema and encoding, see schema.hpp.
#include "uaspl/data/schema.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "uaspl/base/text.hpp"

namespace uaspl {
namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

bool same_ignoring_case(std::string_view cell, std::string_view lower) {
  return std::ranges::equal(cell, lower, [](char a, char b) {
    return (a >= 'A' && a <= 'Z' ? static_cast<char>(a - 'A' + 'a') : a) == b;
  });
}

std::unordered_map<std::string_view, std::size_t> places_of(const std::vector<std::string>& names) {
  std::unordered_map<std::string_view, std::size_t> places;
  for (std::size_t i = 0; i < names.size(); ++i) places.emplace(names[i], i);
  return places;
}

}  // namespace

bool is_missing(std::string_view cell) {
  if (cell.size() > 3) return false;
  return cell.empty() || cell == "?" || same_ignoring_case(cell, "na") ||
         same_ignoring_case(cell, "nan");
}

std::string_view class_name(std::string_view cell) {
  const std::size_t point = cell.find('.');
  if (point == std::string_view::npos || point == 0) return cell;
  const auto digits = cell.substr(cell[0] == '-' ? 1 : 0, point - (cell[0] == '-' ? 1 : 0));
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  const auto is_zero = [](char c) { return c == '0'; };
  const bool whole = !digits.empty() && std::ranges::all_of(digits, is_digit) &&
                     std::ranges::all_of(cell.substr(point + 1), is_zero);
  return whole ? cell.substr(0, point) : cell;
}

std::size_t Schema::width() const {
  std::size_t sum = 0;
  for (const FeatureColumn& column : features) sum += column.width();
  return sum;
}

std::vector<std::string> Schema::input_names() const {
  std::vector<std::string> names;
  for (const FeatureColumn& column : features) {
    if (!column.categorical()) names.push_back(column.name);
    for (const std::string& level : column.levels) names.push_back(column.name + "=" + level);
  }
  return names;
}

RowEncoder::RowEncoder(const Schema& schema, const CsvReader& reader, bool with_target)
    : schema_(schema), classes_(places_of(schema.classes)) {
  const auto columns = places_of(reader.columns());
  std::vector<std::string> absent;
  for (const FeatureColumn& feature : schema.features) {
    const auto found = columns.find(feature.name);
    if (found == columns.end()) {
      absent.push_back(feature.name);
      continue;
    }
    places_.push_back(found->second);
    levels_.push_back(places_of(feature.levels));
  }
  if (with_target) {
    const auto found = columns.find(schema.target);
    if (found == columns.end()) {
      absent.push_back(schema.target);
    } else {
      target_ = found->second;
    }
  }
  if (!absent.empty())
    throw Error(fmt::format("{}: {} column(s) missing: {}", reader.name(), absent.size(),
                            list_some(absent)));
}

bool RowEncoder::encode(const CsvReader& reader, std::span<double> inputs, int* label) const {
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
      encode_level(reader, f, cell, out);
    } else {
      if (!reader.number(places_[f], out[0]))
        throw reader.error(places_[f], fmt::format("'{}' is not a number", cell));
      if (!std::isfinite(out[0]))
        throw reader.error(places_[f], fmt::format("'{}' is not a finite number", cell));
    }
  }
  return true;
}

void RowEncoder::encode_level(const CsvReader& reader, std::size_t feature, std::string_view cell,
                              std::span<double> out) const {
  const auto found = levels_[feature].find(cell);
  if (found == levels_[feature].end())
    throw reader.error(places_[feature],
                       fmt::format("unknown category '{}', expected one of {}", cell,
                                   list_some(schema_.features[feature].levels)));
  std::ranges::fill(out, 0.0);
  out[found->second] = 1.0;
}

}  // namespace uaspl
