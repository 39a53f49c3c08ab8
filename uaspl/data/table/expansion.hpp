// Makes the inputs of a network, not yet scaled, out of the cells of a table.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "uaspl/data/table/schema.hpp"

namespace uaspl {

// A number is one input; a category has one for each of its levels, 1 for the cell's own and 0 for
// the others; a date has its day, and the cosine and sine of the month, weekday and time that vary.
// A category that was never seen is all zeros.
//
// Missing cells that are kept (Missing::kKeep) are the median and a further input that says so, if
// there were such cells in the training rows. Otherwise they are NaN in each of the column's
// inputs.
class Expansion {
 public:
  // The schema must outlive this.
  explicit Expansion(const Schema& schema);

  std::size_t width() const { return width_; }

  // Returns the inputs for a row of cells. They are in `room`, or are the cells themselves if
  // nothing has to be done.
  std::span<const double> inputs(std::span<const double> cells, std::vector<double>& room) const;

  // Counts the cells of a row that the training rows give no way to read: categories that were
  // never seen, and missing cells in columns where none was missing.
  int unknown(std::span<const double> cells) const;

 private:
  void expand(const FeatureColumn& column, double cell, std::span<double> out) const;

  const Schema& schema_;
  std::size_t width_;
  bool plain_;  // each cell is an input
};

}  // namespace uaspl
