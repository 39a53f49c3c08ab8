// Statistics over methods and data sets: means, ranks, the Wilcoxon signed-rank test.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace uaspl {

struct Summary {
  std::size_t count = 0;  // finite values; others are left out
  double mean = 0.0;
  double deviation = 0.0;  // sample standard deviation (n-1), 0 for a single value
};
Summary summarise(std::span<const double> values);

enum class Ties { kAverage, kMinimum, kDense };
enum class Best { kHighest, kLowest };

// Rank 1 for the best value. Values are first rounded to `decimals` where given.
std::vector<double> ranks(std::span<const double> values, Best best, Ties ties = Ties::kAverage,
                          std::optional<int> decimals = std::nullopt);

// Two-sided signed-rank test of paired values. Zero differences are dropped, tied ones share ranks.
struct Wilcoxon {
  double statistic = 0.0;         // the smaller of the two rank sums
  double p_normal = 1.0;          // normal approximation, tie-corrected, no continuity correction
  std::optional<double> p_exact;  // at most 50 pairs, no zero and no tied difference
  double p() const { return p_exact.value_or(p_normal); }
};
Wilcoxon wilcoxon(std::span<const double> a, std::span<const double> b);

}  // namespace uaspl
