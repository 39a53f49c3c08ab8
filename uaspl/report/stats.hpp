// Computes statistics over methods and data sets: means, ranks, the tests of Friedman, Nemenyi and
// Wilcoxon.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "uaspl/base/matrix.hpp"

namespace uaspl {

struct Summary {
  std::size_t count = 0;  // number of finite values; others are left out
  double mean = 0.0;
  double deviation = 0.0;  // sample standard deviation (n-1), 0 for a single value
};
Summary summarise(std::span<const double> values);

// Rounds to 12 decimals: far finer than any metric, and coarser than the rounding errors of sums.
double rounded(double value);

enum class Ties { kAverage, kMinimum, kDense };
enum class Best { kHighest, kLowest };

// Returns ranks, 1 for the best value. Values are first rounded to `decimals`, if given.
std::vector<double> ranks(std::span<const double> values, Best best, Ties ties = Ties::kAverage,
                          std::optional<int> decimals = std::nullopt);

// Friedman's test of whether the methods differ at all. Values have one row for each data set and
// one column for each method.
struct Friedman {
  double statistic = 0.0;  // chi-squared with methods - 1 degrees of freedom, corrected for ties
  double p = 1.0;
};
Friedman friedman(const DoubleMatrix& values);

// Two methods differ if their average ranks are further apart than this (Nemenyi; Demsar 2006).
double critical_difference(std::size_t methods, std::size_t datasets, double level = 0.05);

// Returns the value that the range of `count` standard normal numbers exceeds with probability
// `level`.
double range_quantile(std::size_t count, double level);

// Corrects raw p-values for their number (Holm 1979); keeps their order.
std::vector<double> holm(std::span<const double> p);

// Two-sided signed-rank test of paired values. Zero differences are dropped, tied ones share ranks.
struct Wilcoxon {
  double statistic = 0.0;         // the smaller of the two rank sums
  double p_normal = 1.0;          // normal approximation, tie-corrected, no continuity correction
  std::optional<double> p_exact;  // if at most 50 pairs, no zero and no tied difference
  double p() const { return p_exact.value_or(p_normal); }
};
Wilcoxon wilcoxon(std::span<const double> a, std::span<const double> b);

// Compares two methods over the data sets, which are rows of the values; methods are columns.
struct Comparison {
  std::size_t a;
  std::size_t b;
  double difference;  // mean of a - b
  double p;           // Wilcoxon's test
  double p_holm;      // corrected for all pairs
};
std::vector<Comparison> compare_all(const DoubleMatrix& values);

}  // namespace uaspl
