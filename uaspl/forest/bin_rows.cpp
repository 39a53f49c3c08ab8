// Finds the bins of training rows, see bin_rows.hpp.
#include "uaspl/forest/bin_rows.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace uaspl {
namespace {

// The quantiles of so many values, evenly taken, are those of all of them but for a small part of a
// bin's width.
constexpr std::size_t kMostSampled = std::size_t{1} << 15;
// Rows that are put into bins together: all columns of them, as a table is stored row by row.
constexpr std::size_t kBlockRows = 1024;

// Values as often as they occur, in ascending order.
struct Counted {
  double value;
  std::size_t rows;
};

std::vector<Counted> count_values(const DoubleMatrix& table, std::size_t column,
                                  std::span<const int> rows) {
  constexpr double kMost = std::numeric_limits<float>::max();
  std::vector<double> values;
  const std::size_t every = rows.size() / kMostSampled + 1;
  for (std::size_t i = 0; i < rows.size(); i += every) {
    const double value = table(static_cast<std::size_t>(rows[i]), column);
    if (!std::isnan(value)) values.push_back(std::clamp(value, -kMost, kMost));
  }
  std::ranges::sort(values);
  std::vector<Counted> counted;
  for (const double value : values) {
    if (counted.empty() || counted.back().value < value) counted.push_back({value, 0});
    ++counted.back().rows;
  }
  return counted;
}

// Appends an edge between two values, if two floats can hold one.
void add_edge(double below, double above, std::vector<double>& edges) {
  const double edge = as_two_floats(std::midpoint(below, above));
  if (edge >= below && edge < above) edges.push_back(edge);
}

std::vector<double> find_edges(std::span<const Counted> values, std::size_t bin_rows) {
  std::size_t left = 0;
  for (const Counted& value : values) left += value.rows;
  std::vector<double> edges;
  std::size_t in_bin = 0;
  for (std::size_t i = 0; i + 1 < values.size() && edges.size() < kMostEdges; ++i) {
    in_bin += values[i].rows;
    const std::size_t bins_left = kMostEdges + 1 - edges.size();
    const bool few_values = values.size() - i <= bins_left;  // one bin for each of them
    // What is left is shared evenly among the bins that are left.
    const bool full = few_values || in_bin * bins_left >= left;
    if (!full || in_bin < bin_rows || left - in_bin < bin_rows) continue;
    const std::size_t before = edges.size();
    add_edge(values[i].value, values[i + 1].value, edges);
    if (edges.size() == before) continue;
    left -= in_bin;
    in_bin = 0;
  }
  return edges;
}

// The most frequent levels have a bin each, in the order of the levels.
std::vector<std::uint8_t> find_level_bins(const DoubleMatrix& table, std::size_t column,
                                          std::size_t levels, std::span<const int> rows) {
  ColumnBins plain{{levels}, {}, std::vector<std::uint8_t>(levels, 0)};
  std::vector<std::size_t> seen(levels, 0);
  for (const int row : rows) {
    const double value = table(static_cast<std::size_t>(row), column);
    if (plain.bin(value) == 0) ++seen[static_cast<std::size_t>(value)];
  }
  std::vector<std::size_t> order(levels);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return seen[a] > seen[b]; });
  order.resize(std::min<std::size_t>(levels, kOtherBin));
  std::ranges::sort(order);
  std::vector<std::uint8_t> bins(levels, kOtherBin);
  for (std::size_t i = 0; i < order.size(); ++i)
    if (seen[order[i]] > 0) bins[order[i]] = static_cast<std::uint8_t>(i);
  return bins;
}

}  // namespace

BinnedRows bin_rows(const DoubleMatrix& table, std::span<const ForestColumn> columns,
                    std::span<const int> rows, std::size_t bin_rows, Workers& workers) {
  BinnedRows binned{rows.size(), std::vector<ColumnBins>(columns.size()),
                    std::vector<std::uint8_t>(rows.size() * columns.size())};
  workers.run(columns.size(), [&](std::size_t j, std::size_t /*worker*/) {
    ColumnBins& bins = binned.columns[j];
    bins.column = columns[j];
    if (columns[j].is_category())
      bins.levels = find_level_bins(table, j, columns[j].levels, rows);
    else
      bins.edges = find_edges(count_values(table, j, rows), bin_rows);
  });
  workers.run((rows.size() + kBlockRows - 1) / kBlockRows, [&](std::size_t b, std::size_t) {
    const std::size_t end = std::min(rows.size(), (b + 1) * kBlockRows);
    for (std::size_t j = 0; j < columns.size(); ++j) {
      std::uint8_t* const cells = binned.cells.data() + j * rows.size();
      for (std::size_t i = b * kBlockRows; i < end; ++i)
        cells[i] = binned.columns[j].bin(table(static_cast<std::size_t>(rows[i]), j));
    }
  });
  return binned;
}

}  // namespace uaspl
