// Finds the bins of values, see column_bins.hpp.
#include "uaspl/forest/column_bins.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "uaspl/base/error.hpp"

namespace uaspl {

std::uint8_t ColumnBins::bin(double value) const {
  if (std::isnan(value)) return kMissingBin;
  if (column.is_category()) {
    if (!(value >= 0.0 && value < static_cast<double>(levels.size()))) return kOtherBin;
    const auto level = static_cast<std::size_t>(value);
    return static_cast<double>(level) == value ? levels[level] : kOtherBin;
  }
  // A binary search without branches, which would be guessed wrong every other time.
  const double* first = edges.data();
  for (std::size_t left = edges.size(); left > 0; left /= 2) {
    const std::size_t half = left - left / 2;
    first += first[half - 1] < value ? half : 0;
  }
  return static_cast<std::uint8_t>(first - edges.data());
}

void check_bins(const ColumnBins& bins, std::size_t column) {
  const auto fail = [&](const char* what) {
    throw Error(fmt::format("column {} of a forest: {}", column + 1, what));
  };
  if (bins.levels.size() != bins.column.levels) fail("not one bin for each level");
  if (std::ranges::find(bins.levels, kMissingBin) != bins.levels.end())
    fail("a level with the bin of missing cells");
  if (bins.column.is_category() && !bins.edges.empty()) fail("edges in a category");
  if (bins.edges.size() > kMostEdges) fail("too many edges");
  for (std::size_t i = 0; i < bins.edges.size(); ++i) {
    if (!std::isfinite(bins.edges[i])) fail("an edge that is not finite");
    if (i > 0 && !(bins.edges[i - 1] < bins.edges[i])) fail("edges that do not ascend");
  }
}

double as_two_floats(double edge) {
  const auto first = static_cast<float>(edge);
  return static_cast<double>(first) + static_cast<double>(static_cast<float>(edge - first));
}

}  // namespace uaspl
