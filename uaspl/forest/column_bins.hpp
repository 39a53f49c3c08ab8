// The values of a column in at most 256 bins: trees see one byte for each cell of a table, whatever
// the cell holds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace uaspl {

// A category's levels without a bin of their own: those that training never saw, and the rarest
// ones if there are many.
constexpr std::uint8_t kOtherBin = 254;
constexpr std::uint8_t kMissingBin = 255;
constexpr std::size_t kBins = 256;
constexpr std::size_t kMostEdges = 254;  // between 255 bins of numbers

// What a column holds: numbers, or the level of a category in 0..levels-1. NaN is a missing cell,
// any other number that is no level is an unseen level.
struct ForestColumn {
  std::size_t levels = 0;  // 0: numbers
  bool is_category() const { return levels > 0; }
};

// Plain data of a fitted column.
struct ColumnBins {
  ForestColumn column;
  std::vector<double> edges;         // of numbers, ascending; bin b ends with edge b, inclusive
  std::vector<std::uint8_t> levels;  // of a category: the bin of each level

  std::uint8_t bin(double value) const;
};

// Throws an Error unless edges and levels are as trees need them. `column` stands for it in errors.
void check_bins(const ColumnBins& bins, std::size_t column);

// An edge is kept as two floats, the second one what the first one lacks, so that numbers as long
// as the milliseconds of a date are told apart. Returns the edge that two floats can hold.
double as_two_floats(double edge);

}  // namespace uaspl
