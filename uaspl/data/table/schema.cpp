// Schemas, see schema.hpp.
#include "uaspl/data/table/schema.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "uaspl/base/text.hpp"

namespace uaspl {
namespace {

constexpr std::size_t kMostExamples = 3;

bool same_ignoring_case(std::string_view cell, std::string_view lower) {
  return std::ranges::equal(cell, lower, [](char a, char b) {
    return (a >= 'A' && a <= 'Z' ? static_cast<char>(a - 'A' + 'a') : a) == b;
  });
}

}  // namespace

bool is_missing(std::string_view cell) {
  if (cell.size() > 4) return false;
  if (cell.empty() || cell == "?") return true;
  constexpr std::string_view kWords[] = {"na", "nan", "n/a", "null", "#n/a"};
  return std::ranges::any_of(kWords,
                             [&](std::string_view word) { return same_ignoring_case(cell, word); });
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

std::size_t FeatureColumn::width() const {
  const std::size_t more = indicator ? 1 : 0;
  if (kind == ColumnKind::kCategory) return places() + more;
  return 1 + (kind == ColumnKind::kDate ? 2 * parts.count() : 0) + more;
}

bool reads_like(const FeatureColumn& a, const FeatureColumn& b) {
  return a.name == b.name && a.kind == b.kind && a.levels == b.levels && a.rare == b.rare &&
         a.decimal == b.decimal && a.order == b.order;
}

std::string_view name_of(LeftOut::Why why) {
  constexpr std::string_view kNames[] = {"dropped", "empty", "constant", "id", "text"};
  return kNames[static_cast<std::size_t>(why)];
}

std::string_view words_for(LeftOut::Why why) {
  constexpr std::string_view kWords[] = {"as asked for", "all cells are missing",
                                         "all cells are the same", "an id: all cells differ",
                                         "free text"};
  return kWords[static_cast<std::size_t>(why)];
}

void OddCells::add(std::string_view cell, std::size_t at_line) {
  if (count++ == 0) line = at_line;
  if (examples.size() == kMostExamples) return;
  std::string shown = printable(cell);
  if (std::ranges::find(examples, shown) == examples.end()) examples.push_back(std::move(shown));
}

std::size_t Schema::width() const {
  std::size_t sum = 0;
  for (const FeatureColumn& column : features) sum += column.width();
  return sum;
}

std::vector<std::string> Schema::input_names() const {
  std::vector<std::string> names;
  for (const FeatureColumn& column : features) {
    const auto add = [&](std::string_view what) {
      names.push_back(fmt::format("{}{}{}", column.name, what.empty() ? "" : "=", what));
    };
    if (!column.categorical()) add("");
    for (const std::string& level : column.levels) add(level);
    if (!column.rare.empty()) add("(rare)");
    if (column.kind == ColumnKind::kDate)
      for (const auto& [part, varies] :
           {std::pair("month", column.parts.months), std::pair("weekday", column.parts.weekdays),
            std::pair("time", column.parts.times)})
        if (varies) add(fmt::format("({}, cosine)", part)), add(fmt::format("({}, sine)", part));
    if (column.indicator) add("(missing)");
  }
  return names;
}

}  // namespace uaspl
