// Infers kinds of columns, categories and classes, see infer.hpp.
#include "uaspl/data/table/infer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <utility>

#include "uaspl/base/text.hpp"

namespace uaspl {
namespace {

// A column with more categories is probably a name or an identifier, and would make as many inputs.
constexpr std::size_t kMaxLevels = 1000;

std::size_t find_column(const RecordReader& reader, std::string_view name,
                        std::string_view option) {
  const auto& columns = reader.columns();
  const auto found = std::ranges::find(columns, name);
  if (found == columns.end())
    throw UnknownName(fmt::format("{}: {}: no column '{}'; there are: {}", reader.name(), option,
                                  printable(name), list_some(columns)));
  return static_cast<std::size_t>(found - columns.begin());
}

// Finds the class column by name or, if there is no such name, by place.
std::size_t find_target(const RecordReader& reader, const std::string& target) {
  if (target.empty()) return 0;
  const auto& columns = reader.columns();
  int place = 0;
  const auto [end, status] = std::from_chars(target.data(), target.data() + target.size(), place);
  const bool number = status == std::errc() && end == target.data() + target.size();
  if (!number || std::ranges::find(columns, target) != columns.end())
    return find_column(reader, target, "target");
  const auto count = static_cast<int>(columns.size());
  if (place < 0) place += count + 1;
  if (place < 1 || place > count)
    throw Error(
        fmt::format("{}: target: no column {}, there are {}", reader.name(), target, count));
  return static_cast<std::size_t>(place - 1);
}

// Sorts names by value if all are numbers, otherwise by their characters.
void sort_names(std::vector<std::string>& names) {
  const auto is_number = [](const std::string& name) { return parse_number(name).has_value(); };
  if (!std::ranges::all_of(names, is_number)) return;  // they come from a set, in order
  std::ranges::stable_sort(names, {}, [](const std::string& name) { return *parse_number(name); });
}

}  // namespace

Inference::Inference(RecordReader& reader, const LoadOptions& options)
    : reader_(reader), options_(options), target_(find_target(reader, options.target)) {
  std::set<std::size_t> unused{target_};
  for (const std::string& name : options.drop) unused.insert(find_column(reader, name, "drop"));
  for (std::size_t i = 0; i < reader.columns().size(); ++i)
    if (!unused.contains(i)) columns_.push_back({.place = i});
  if (columns_.empty())
    throw Error(fmt::format("{}: {} column(s), expected the class and at least one feature",
                            reader.name(), reader.columns().size()));
  for (const std::string& name : options.categorical) {
    const std::size_t place = find_column(reader, name, "categorical");
    for (Column& column : columns_) column.text = column.text || column.place == place;
  }
  plain_ = std::ranges::none_of(columns_, &Column::text);
  numbers_.resize(columns_.size());
}

bool Inference::take_record() {
  const bool missing = read_cells();
  const bool kept = collect_names(missing);
  // This is an error: reading row by row, later, says where it is.
  if (options_.missing == Missing::kError && (missing || !kept)) plain_ = false;
  return kept;
}

// Reads the cells of the record; returns true if a feature is missing.
bool Inference::read_cells() {
  bool missing = false;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    Column& column = columns_[i];
    if (!column.text && reader_.short_number(column.place, numbers_[i])) {
      column.number = true;
    } else if (is_missing(reader_.cells()[column.place])) {
      missing = true;
      numbers_[i] = std::numeric_limits<double>::quiet_NaN();
    } else if (!column.text) {
      read_number(column, numbers_[i]);
    }
  }
  return missing;
}

void Inference::read_number(Column& column, double& value) {
  if (!reader_.number(column.place, value)) {
    column.text = true;
    plain_ = false;
    names_missed_ = names_missed_ || column.number;
    return;
  }
  column.number = true;
  if (!NumberRange().contains(value) && !column.out_of_range)
    column.out_of_range =
        reader_.error(column.place, number_complaint(reader_.cells()[column.place], value));
}

// Collects levels and classes; returns false if the record is left out.
bool Inference::collect_names(bool missing) {
  const std::string_view name = class_name(reader_.cells()[target_]);
  if (is_missing(name) || (missing && options_.missing == Missing::kDrop)) return false;
  auto found = classes_.find(name);
  if (found == classes_.end())
    found = classes_.emplace(checked(target_, name), static_cast<int>(classes_.size())).first;
  if (name.size() > kLongestClass)
    throw reader_.error(target_, fmt::format("a class of {} bytes, expected at most {}; is this "
                                             "the class column?",
                                             name.size(), kLongestClass));
  if (classes_.size() > kMostClasses)
    throw reader_.error(
        target_, fmt::format("more than {} classes; is this the class column?", kMostClasses));
  class_number_ = found->second;
  if (!plain_) collect_levels();
  return true;
}

void Inference::collect_levels() {
  for (Column& column : columns_) {
    const std::string_view cell = reader_.cells()[column.place];
    if (!column.text || is_missing(cell) || column.levels.contains(cell)) continue;
    column.levels.emplace(checked(column.place, cell));
    if (column.levels.size() > kMaxLevels)
      throw reader_.error(
          column.place,
          fmt::format("more than {} different texts; is '{}' a name? Leave the column "
                      "out",
                      kMaxLevels, printable(reader_.columns()[column.place])));
  }
}

Inference::Result Inference::finish() {
  for (const Column& column : columns_)
    if (!column.text && column.out_of_range) throw *column.out_of_range;
  if (names_missed_) {
    reader_.rewind();
    for (Column& column : columns_) column.levels.clear();  // so that errors come in order
    while (reader_.next()) collect_names(read_cells());
  }
  Schema schema;
  schema.missing = options_.missing;
  for (const Column& column : columns_) {
    FeatureColumn feature{column_name(column.place), {}};
    feature.levels.assign(column.levels.begin(), column.levels.end());
    sort_names(feature.levels);
    schema.features.push_back(std::move(feature));
  }
  return {std::move(schema), {column_name(target_), class_names()}};
}

std::vector<std::string> Inference::class_names() const {
  std::vector<std::string> names;
  for (const auto& [name, number] : classes_) names.push_back(name);
  sort_names(names);
  return names;
}

void Inference::renumber(std::vector<int>& labels) const {
  std::vector<int> places(classes_.size());
  const std::vector<std::string> names = class_names();
  for (std::size_t i = 0; i < names.size(); ++i)
    places[static_cast<std::size_t>(classes_.find(names[i])->second)] = static_cast<int>(i);
  for (int& label : labels) label = places[static_cast<std::size_t>(label)];
}

// Returns a cell of the record that becomes a name in the model.
std::string_view Inference::checked(std::size_t column, std::string_view cell) const {
  if (!is_utf8(cell))
    throw reader_.error(column,
                        fmt::format("'{}' is not valid UTF-8; convert the file", printable(cell)));
  return cell;
}

const std::string& Inference::column_name(std::size_t column) const {
  const std::string& name = reader_.columns()[column];
  if (!is_utf8(name))
    throw Error(fmt::format("{}: the name of column {} ('{}') is not valid UTF-8; convert the file",
                            reader_.name(), column + 1, printable(name)));
  return name;
}

}  // namespace uaspl
