// Computes numbers about the training rows of a stage, which the results store keeps of each stage.
#pragma once

#include <array>
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

namespace uaspl {

// How much the loss of rows falls in a stage: of each row (before - after) / (before + 1e-8), as
// the paper prints it. Rows whose loss was almost nothing rule this mean; the other two do not let
// them.
struct LossVariation {
  double mean = std::numeric_limits<double>::quiet_NaN();
  double median = std::numeric_limits<double>::quiet_NaN();
  double robust = std::numeric_limits<double>::quiet_NaN();  // mean, with 1e-3 instead of 1e-8
};
LossVariation loss_variation(std::span<const float> before, std::span<const float> after,
                             std::span<const int> rows);

// Rows that are right or wrong, and sure or unsure; NaN if there are none, or not recorded.
struct RowGroup {
  std::size_t rows = 0;
  double loss = std::numeric_limits<double>::quiet_NaN();  // mean
};

// All rows, from easy to hard as the paper claims it of its loss. A row is sure if its uncertainty
// is at most the median of all rows; one that is not a number is unsure.
struct RowGroups {
  RowGroup right_sure;
  RowGroup right_unsure;
  RowGroup wrong_unsure;
  RowGroup wrong_sure;
  std::array<const RowGroup*, 4> in_order() const {
    return {&right_sure, &right_unsure, &wrong_unsure, &wrong_sure};
  }
};
RowGroups group_rows(std::span<const float> losses, std::span<const float> uncertainties,
                     const std::vector<bool>& correct);

// Returns the middle value, or the mean of the two; NaN if there is none, or one is NaN.
double median(std::vector<double> values);

}  // namespace uaspl
