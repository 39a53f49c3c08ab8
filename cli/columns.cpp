// Shows columns, see columns.hpp.
#include "cli/columns.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "uaspl/base/text.hpp"

namespace uaspl::cli {
namespace {

constexpr std::size_t kMostShown = 200;
constexpr std::size_t kWidest = 30;

std::string remarks(const ColumnDescription& column) {
  std::string text = column.content;
  if (column.missing > 0) text += fmt::format("; {} missing", column.missing);
  if (column.odd.count > 0)
    text +=
        fmt::format(", of which {} cannot be read: {}", column.odd.count, examples_of(column.odd));
  return text;
}

}  // namespace

std::string examples_of(const OddCells& odd) {
  constexpr std::size_t kKept = 3;  // there may be more
  return fmt::format("{}{}", fmt::join(odd.examples, ", "),
                     odd.examples.size() < kKept ? "" : ", ...");
}

void print_columns(std::FILE* out, std::span<const ColumnDescription> columns) {
  const auto shown = columns.first(std::min(kMostShown, columns.size()));
  std::size_t width = 6;
  for (const ColumnDescription& column : shown)
    width = std::max(width, std::min(kWidest, printable(column.name).size()));
  fmt::print(out, "{:<{}}  {:<8}  {}\n", "column", width, "is", "with");
  for (const ColumnDescription& column : shown) {
    std::string line = fmt::format("{:<{}}  {:<8}  {}", printable(column.name), width, column.kind,
                                   remarks(column));
    line.erase(line.find_last_not_of(' ') + 1);
    fmt::print(out, "{}\n", line);
  }
  if (shown.size() < columns.size())
    fmt::print(out, "and {} more; --json has all\n", columns.size() - shown.size());
}

nlohmann::ordered_json columns_json(std::span<const ColumnDescription> columns) {
  auto all = nlohmann::ordered_json::array();
  for (const ColumnDescription& column : columns) {
    nlohmann::ordered_json one = {
        {"name", column.name}, {"kind", column.kind}, {"content", column.content}};
    one["missing"] = column.missing;
    if (column.odd.count > 0)
      one["unreadable"] = {{"cells", column.odd.count},
                           {"first_line", column.odd.line},
                           {"examples", column.odd.examples}};
    all.push_back(std::move(one));
  }
  return all;
}

}  // namespace uaspl::cli
