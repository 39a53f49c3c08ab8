// Tables from memory, see memory.hpp.
#include "uaspl/data/table/memory.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "uaspl/base/error.hpp"
#include "uaspl/base/text.hpp"
#include "uaspl/data/table/csv_writer.hpp"

namespace uaspl {
namespace {

const std::string kName = "memory";

std::vector<std::string> numbered(std::size_t count, const char* prefix, std::size_t first) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < count; ++i) names.push_back(fmt::format("{}{}", prefix, first + i));
  return names;
}

std::string cell(const Value& value) {
  if (value.text()) return csv_cell(*value.text());
  return std::isnan(*value.number()) ? "" : fmt::format("{}", *value.number());
}

void check_range(const DoubleMatrix& features, std::span<const std::string> columns) {
  for (std::size_t i = 0; i < features.rows(); ++i)
    for (std::size_t j = 0; j < features.cols(); ++j)
      if (const double x = features(i, j); !std::isnan(x) && !NumberRange().contains(x))
        throw Error(fmt::format("{}: row {}: column '{}': {}", kName, i + 1, printable(columns[j]),
                                number_complaint(fmt::format("{}", x), x)));
}

}  // namespace

Dataset make_table(DoubleMatrix features, std::vector<int> labels, std::vector<std::string> columns,
                   std::vector<std::string> classes) {
  if (features.rows() != labels.size() || labels.empty())
    throw Error(fmt::format("{}: {} rows and {} labels, expected as many of both", kName,
                            features.rows(), labels.size()));
  if (columns.empty()) columns = numbered(features.cols(), "c", 1);
  if (columns.size() != features.cols())
    throw Error(fmt::format("{}: {} names for {} columns", kName, columns.size(), features.cols()));
  const int highest = std::ranges::max(labels);
  if (std::ranges::min(labels) < 0) throw Error(kName + ": a label below 0");
  if (classes.empty() && static_cast<std::size_t>(highest) >= labels.size())
    throw Error(fmt::format("{}: label {} in {} rows, expected places among the classes", kName,
                            highest, labels.size()));
  if (classes.empty()) classes = numbered(static_cast<std::size_t>(highest) + 1, "", 0);
  if (static_cast<std::size_t>(highest) >= classes.size())
    throw Error(
        fmt::format("{}: label {}, but there are {} classes", kName, highest, classes.size()));
  check_range(features, columns);
  Dataset data;
  data.name = kName;
  data.target = {"class", std::move(classes)};
  data.labels = std::move(labels);
  Table& table = data.table();
  table.schema.missing = Missing::kMean;
  for (std::string& column : columns) table.schema.features.push_back({std::move(column)});
  table.features = std::move(features);
  return data;
}

Dataset make_table(std::span<const NamedRow> rows, const LoadOptions& options) {
  std::set<std::string> columns;
  for (const NamedRow& row : rows)
    for (const auto& [name, value] : row) columns.insert(name);
  if (columns.empty()) throw Error(kName + ": no row with a column");
  std::vector<std::string> cells(columns.begin(), columns.end());
  std::ranges::transform(cells, cells.begin(), csv_cell);
  std::string text = fmt::format("{}\n", fmt::join(cells, ","));
  for (const NamedRow& row : rows) {
    cells.clear();
    for (const std::string& name : columns) {
      const auto found = row.find(name);
      cells.push_back(found == row.end() ? std::string() : cell(found->second));
    }
    // An empty line would be skipped.
    if (cells.size() == 1 && cells.front().empty()) cells.front() = "\"\"";
    text += fmt::format("{}\n", fmt::join(cells, ","));
  }
  LoadOptions all = options;
  all.format = {.delimiter = ',', .header = true};
  return parse_dataset(text, kName, all);
}

}  // namespace uaspl
