// Infers kinds of columns, categories and classes, see infer.hpp.
#include "uaspl/data/table/infer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "uaspl/base/text.hpp"

namespace uaspl {
namespace {

// A column with more categories is probably a name or an identifier, and would make as many inputs.
constexpr std::size_t kMaxLevels = 1000;

}  // namespace

Inference::Inference(RecordReader& reader, const LoadOptions& options, std::size_t target)
    : reader_(reader), options_(options), target_(target), classes_(reader, target) {
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
  for (Column& column : columns_)
    column.text |= reader.hints()[column.place].kind == ColumnHint::Kind::kNominal;
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
  if (missing && options_.missing == Missing::kDrop) return false;
  class_number_ = classes_.take();
  if (class_number_ < 0) return false;
  if (!plain_) collect_levels();
  return true;
}

void Inference::collect_levels() {
  for (Column& column : columns_) {
    const std::string_view cell = reader_.cells()[column.place];
    if (!column.text || is_missing(cell) || column.levels.contains(cell)) continue;
    column.levels.emplace(checked_name(reader_, column.place, cell));
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
    FeatureColumn feature{checked_column(reader_, column.place)};
    if (column.text) feature.kind = ColumnKind::kCategory;
    feature.levels.assign(column.levels.begin(), column.levels.end());
    sort_names(feature.levels);
    schema.features.push_back(std::move(feature));
  }
  return {std::move(schema), {checked_column(reader_, target_), classes_.sorted()}};
}

}  // namespace uaspl
