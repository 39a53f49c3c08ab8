// Reads the cells of a file of runs, see imported_cells.hpp.
#include "uaspl/exchange/imported_cells.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

#include "uaspl/base/error.hpp"
#include "uaspl/base/text.hpp"
#include "uaspl/data/table/schema.hpp"

namespace uaspl {
namespace {

constexpr std::string_view kBoth[] = {"dataset", "method",  "seed",
                                      "variant", "seconds", "inference_seconds"};
constexpr std::string_view kOfRuns[] = {"accuracy", "precision", "recall", "f1",
                                        "log_loss", "brier",     "ece",    "error_auroc"};
constexpr std::string_view kOfRows[] = {"row", "predicted", "label", "uncertainty"};
constexpr std::string_view kProbability = "p_";

bool is_among(std::string_view name, std::span<const std::string_view> names) {
  return std::ranges::find(names, name) != names.end();
}

template <typename Whole>
bool read_whole(std::string_view cell, Whole& value) {
  const auto [end, status] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
  return status == std::errc() && end == cell.data() + cell.size();
}

}  // namespace

ImportedCells::ImportedCells(RecordReader& lines) : lines_(lines) {
  const auto need = [&](std::span<const std::string_view> names) {
    for (const std::string_view name : names)
      if (!has(name))
        throw Error(
            fmt::format("{}: no column '{}'; expected dataset, method, seed and accuracy, "
                        "precision, recall, f1, or row, predicted",
                        lines.name(), name));
  };
  need(std::span(kBoth).first(3));
  if (of_rows() || has("predicted"))
    need(std::span(kOfRows).first(2));
  else
    need(std::span(kOfRuns).first(4));
  const std::span<const std::string_view> others = of_rows()
                                                       ? std::span<const std::string_view>(kOfRows)
                                                       : std::span<const std::string_view>(kOfRuns);
  for (std::size_t i = 0; i < lines.columns().size(); ++i) {
    const std::string& name = lines.columns()[i];
    if (is_among(name, kBoth) || is_among(name, others)) continue;
    if (!of_rows() || !name.starts_with(kProbability))
      throw Error(fmt::format("{}: unknown column '{}'; known: {}, {}{}", lines.name(),
                              printable(name), fmt::join(kBoth, ", "), fmt::join(others, ", "),
                              of_rows() ? ", p_CLASS" : ""));
    probabilities_.push_back({i, std::string(class_name(name.substr(kProbability.size())))});
  }
}

std::optional<std::size_t> ImportedCells::place(std::string_view column) const {
  const auto found = std::ranges::find(lines_.columns(), column);
  if (found == lines_.columns().end()) return std::nullopt;
  return static_cast<std::size_t>(found - lines_.columns().begin());
}

std::string ImportedCells::text(std::string_view column) const {
  const auto at = place(column);
  return at ? std::string(lines_.cells()[*at]) : "";
}

std::uint32_t ImportedCells::seed() const {
  std::uint32_t seed = 0;
  if (!read_whole(text("seed"), seed)) fail("seed", "expected a whole number of 32 bits");
  return seed;
}

std::size_t ImportedCells::row() const {
  std::size_t row = 0;
  if (!read_whole(text("row"), row) || row == 0)
    fail("row", "expected the number of a row, from 1");
  return row - 1;
}

std::optional<double> ImportedCells::number_at(std::size_t column, double low, double high) const {
  const std::string_view cell = lines_.cells()[column];
  if (is_missing(cell)) return std::nullopt;
  double value = 0.0;
  if (!lines_.number(column, value) || !(value >= low && value <= high))
    throw lines_.error(column,
                       fmt::format("'{}' is no number in {}..{}", printable(cell), low, high));
  return value;
}

std::optional<double> ImportedCells::number(std::string_view column, double low,
                                            double high) const {
  const auto at = place(column);
  return at ? number_at(*at, low, high) : std::nullopt;
}

double ImportedCells::needed_number(std::string_view column, double low, double high) const {
  const auto value = number(column, low, high);
  if (!value) fail(column, fmt::format("expected a number in {}..{}", low, high));
  return *value;
}

std::optional<double> ImportedCells::probability(const Probability& of) const {
  return number_at(of.column, 0.0, 1.0);
}

void ImportedCells::fail(std::string_view column, std::string_view what) const {
  throw lines_.error(place(column).value_or(0), what);
}

Error ImportedCells::error_on(std::size_t line, std::string_view column,
                              std::string_view what) const {
  return Error(fmt::format("{}:{}: column {} ('{}'): {}", lines_.name(), line,
                           place(column).value_or(0) + 1, column, what));
}

}  // namespace uaspl
