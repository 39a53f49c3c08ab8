// Computes numbers about the training rows of a stage, see stage_numbers.hpp.
#include "uaspl/study/stage_numbers.hpp"

#include <algorithm>
#include <cmath>

namespace uaspl {
namespace {

constexpr double kFloor = 1e-8;  // a loss below it counts as 0
constexpr double kRobustFloor = 1e-3;

double value_at(std::span<const float> values, int row) {
  return values[static_cast<std::size_t>(row)];
}

}  // namespace

double median(std::vector<double> values) {
  const auto nan = [](double value) { return std::isnan(value); };
  if (values.empty() || std::ranges::any_of(values, nan))
    return std::numeric_limits<double>::quiet_NaN();
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  if (values.size() % 2 == 1) return *middle;
  const double below = *std::max_element(values.begin(), middle);
  return below == *middle ? below : (below + *middle) / 2.0;  // infinities stay what they are
}

LossVariation loss_variation(std::span<const float> before, std::span<const float> after,
                             std::span<const int> rows) {
  if (rows.empty()) return {};
  double sum = 0.0;
  double robust_sum = 0.0;
  std::vector<double> changes;
  for (const int row : rows) {
    const double then = value_at(before, row);
    const double fall = then - value_at(after, row);
    changes.push_back(fall / (then + kFloor));
    sum += changes.back();
    robust_sum += fall / (then + kRobustFloor);
  }
  const auto count = static_cast<double>(rows.size());
  return {sum / count, median(std::move(changes)), robust_sum / count};
}

RowGroups group_rows(std::span<const float> losses, std::span<const float> uncertainties,
                     const std::vector<bool>& correct) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  std::vector<double> unsure(uncertainties.begin(), uncertainties.end());
  std::ranges::replace_if(
      unsure, [](double u) { return std::isnan(u); }, kInfinity);
  const double middle = median(unsure);
  RowGroups groups;
  std::array<RowGroup*, 4> all{&groups.right_sure, &groups.right_unsure, &groups.wrong_unsure,
                               &groups.wrong_sure};
  std::array<double, 4> sums{};
  for (std::size_t i = 0; i < losses.size(); ++i) {
    const bool sure = unsure[i] <= middle && unsure[i] < kInfinity;
    const std::size_t group = correct[i] ? (sure ? 0 : 1) : (sure ? 3 : 2);
    ++all[group]->rows;
    sums[group] += losses[i];
  }
  for (std::size_t g = 0; g < all.size(); ++g)
    if (all[g]->rows > 0) all[g]->loss = sums[g] / static_cast<double>(all[g]->rows);
  return groups;
}

}  // namespace uaspl
