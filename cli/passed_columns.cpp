// Passes columns on, see passed_columns.hpp.
#include "cli/passed_columns.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "uaspl/base/text.hpp"
#include "uaspl/data/table/class_names.hpp"
#include "uaspl/data/table/csv_writer.hpp"
#include "uaspl/io/json_text.hpp"

namespace uaspl::cli {

void add_pass_options(CLI::App& app, PassOptions& options) {
  app.add_option("--id", options.ids,
                 "Column that says whose row it is; it comes first in each line, as it is")
      ->delimiter(',')
      ->allow_extra_args(false);
  app.add_option("--keep", options.keep, "Columns that are written as they are, after the ids")
      ->delimiter(',')
      ->allow_extra_args(false);
  app.add_flag("--keep-all", options.keep_all, "All columns of the table are");
}

PassedColumns::PassedColumns(const PassOptions& options, const RecordReader& reader,
                             std::span<const std::string> taken, LineFormat format)
    : format_(format) {
  for (const std::string& name : options.ids) add(reader, find_column(reader, name, "id"));
  for (const std::string& name : options.keep) add(reader, find_column(reader, name, "keep"));
  for (std::size_t i = 0; options.keep_all && i < reader.columns().size(); ++i) add(reader, i);
  rename(taken);
  for (Column& column : columns_) column.key = json_text(nlohmann::json(column.name)) + ":";
}

void PassedColumns::add(const RecordReader& reader, std::size_t place) {
  if (std::ranges::find(columns_, place, &Column::place) == columns_.end())
    columns_.push_back({place, reader.columns()[place], {}});
}

// The names of predictions stay, since programs look for them.
void PassedColumns::rename(std::span<const std::string> taken) {
  std::set<std::string> used(taken.begin(), taken.end());
  for (const Column& column : columns_) used.insert(column.name);
  for (Column& column : columns_) {
    if (std::ranges::find(taken, column.name) == taken.end()) continue;
    std::string name = column.name + "_input";
    for (int i = 2; used.contains(name); ++i) name = fmt::format("{}_input_{}", column.name, i);
    used.insert(name);
    renamed_.push_back(fmt::format("'{}' is '{}'", printable(column.name), printable(name)));
    column.name = name;
  }
}

std::string PassedColumns::header() const {
  std::string text;
  for (const Column& column : columns_)
    if (format_ != LineFormat::kJson) text += csv_cell(column.name) + ",";
  return text;
}

std::string PassedColumns::cells(const RecordReader& reader) const {
  std::string text;
  for (const Column& column : columns_) {
    const std::string_view cell = reader.cells()[column.place];
    if (format_ == LineFormat::kJson)
      text += column.key + json_text(nlohmann::json(cell));
    else
      text += csv_cell(cell);
    text += ',';
  }
  return text;
}

std::string PassedColumns::renamed() const {
  if (renamed_.empty()) return "";
  return fmt::format("predictions have columns of the same names: {}", fmt::join(renamed_, ", "));
}

}  // namespace uaspl::cli
