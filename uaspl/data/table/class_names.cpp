// Names of classes and columns, see class_names.hpp.
#include "uaspl/data/table/class_names.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "uaspl/base/suggestion.hpp"
#include "uaspl/base/text.hpp"
#include "uaspl/data/table/schema.hpp"
#include "uaspl/data/target.hpp"

namespace uaspl {

int ClassNames::take() {
  const std::string_view name = class_name(reader_.cells()[column_]);
  if (is_missing(name)) return -1;
  auto found = numbers_.find(name);
  if (found == numbers_.end())
    found =
        numbers_.emplace(checked_name(reader_, column_, name), static_cast<int>(numbers_.size()))
            .first;
  if (name.size() > kLongestClass)
    throw reader_.error(column_, fmt::format("a class of {} bytes, expected at most {}; is this "
                                             "the class column?",
                                             name.size(), kLongestClass));
  if (numbers_.size() > kMostClasses)
    throw reader_.error(
        column_, fmt::format("more than {} classes; is this the class column?", kMostClasses));
  return found->second;
}

std::vector<std::string> ClassNames::sorted() const {
  std::vector<std::string> names;
  for (const auto& [name, number] : numbers_) names.push_back(name);
  sort_names(names);
  return names;
}

void ClassNames::renumber(std::vector<int>& labels) const {
  std::vector<int> places(numbers_.size());
  const std::vector<std::string> names = sorted();
  for (std::size_t i = 0; i < names.size(); ++i)
    places[static_cast<std::size_t>(numbers_.find(names[i])->second)] = static_cast<int>(i);
  for (int& label : labels) label = places[static_cast<std::size_t>(label)];
}

void sort_names(std::vector<std::string>& names) {
  std::ranges::sort(names);
  const auto is_number = [](const std::string& name) { return parse_number(name).has_value(); };
  if (std::ranges::all_of(names, is_number))
    std::ranges::stable_sort(names, {},
                             [](const std::string& name) { return *parse_number(name); });
}

std::string_view checked_name(const RecordReader& reader, std::size_t column,
                              std::string_view cell) {
  if (!is_utf8(cell))
    throw reader.error(column,
                       fmt::format("'{}' is not valid UTF-8; convert the file", printable(cell)));
  return cell;
}

const std::string& checked_column(const RecordReader& reader, std::size_t column) {
  const std::string& name = reader.columns()[column];
  if (!is_utf8(name))
    throw Error(fmt::format("{}: the name of column {} ('{}') is not valid UTF-8; convert the file",
                            reader.name(), column + 1, printable(name)));
  return name;
}

std::size_t find_column(const RecordReader& reader, std::string_view name,
                        std::string_view option) {
  const auto& columns = reader.columns();
  const auto found = std::ranges::find(columns, name);
  if (found == columns.end())
    throw UnknownName(fmt::format("{}: {}: no column '{}'{}; there are: {}", reader.name(), option,
                                  printable(name), suggestion(name, columns), list_some(columns)));
  return static_cast<std::size_t>(found - columns.begin());
}

}  // namespace uaspl
