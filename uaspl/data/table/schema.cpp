// Schemas, see schema.hpp.
#include "uaspl/data/table/schema.hpp"

#include <algorithm>

namespace uaspl {
namespace {

bool same_ignoring_case(std::string_view cell, std::string_view lower) {
  return std::ranges::equal(cell, lower, [](char a, char b) {
    return (a >= 'A' && a <= 'Z' ? static_cast<char>(a - 'A' + 'a') : a) == b;
  });
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

}  // namespace uaspl
