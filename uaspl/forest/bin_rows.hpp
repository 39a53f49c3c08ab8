// The training rows of a forest as bins, a column after the other, and how the bins are found.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "uaspl/base/matrix.hpp"
#include "uaspl/base/threads.hpp"
#include "uaspl/forest/column_bins.hpp"

namespace uaspl {

struct BinnedRows {
  std::size_t rows = 0;
  std::vector<ColumnBins> columns;
  std::vector<std::uint8_t> cells;  // column by column

  std::span<const std::uint8_t> column(std::size_t j) const {
    return std::span(cells).subspan(j * rows, rows);
  }
};

// Finds the bins of each column from the rows of these numbers, and puts their cells into them.
// The bins of numbers have about as many rows each, and at least `bin_rows` of them; an edge lies
// midway between two values. Of a category with many levels, the most frequent ones have a bin of
// their own.
BinnedRows bin_rows(const DoubleMatrix& table, std::span<const ForestColumn> columns,
                    std::span<const int> rows, std::size_t bin_rows, Workers& workers);

}  // namespace uaspl
