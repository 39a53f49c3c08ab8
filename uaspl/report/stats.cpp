// Statistics, see stats.hpp.
#include "uaspl/report/stats.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numbers>
#include <numeric>

namespace uaspl {
namespace {

// Ascending order and, for each group of equal values in it, a call with its first place and
// length.
template <typename Visit>
void visit_groups(std::span<const double> values, Visit visit) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return values[i]; });
  for (std::size_t first = 0; first < order.size();) {
    std::size_t last = first + 1;
    while (last < order.size() && values[order[last]] == values[order[first]]) ++last;
    visit(std::span<const std::size_t>(order).subspan(first, last - first), first);
    first = last;
  }
}

// Share of the 2^n sign patterns of ranks 1..n whose positive sum is at most `sum`.
double lower_tail(std::size_t n, std::size_t sum) {
  std::vector<double> patterns(sum + 1);  // with a positive sum of exactly s
  patterns[0] = 1.0;
  for (std::size_t rank = 1; rank <= n; ++rank)
    for (std::size_t s = sum; s >= rank; --s) patterns[s] += patterns[s - rank];
  const double total = std::accumulate(patterns.begin(), patterns.end(), 0.0);
  return std::ldexp(total, -static_cast<int>(n));
}

}  // namespace

Summary summarise(std::span<const double> values) {
  Summary summary;
  for (const double x : values) {
    if (!std::isfinite(x)) continue;
    ++summary.count;
    summary.mean += x;
  }
  if (summary.count == 0) return summary;
  summary.mean /= static_cast<double>(summary.count);
  double squares = 0.0;
  for (const double x : values)
    if (std::isfinite(x)) squares += (x - summary.mean) * (x - summary.mean);
  if (summary.count > 1)
    summary.deviation = std::sqrt(squares / static_cast<double>(summary.count - 1));
  return summary;
}

std::vector<double> ranks(std::span<const double> values, Best best, Ties ties,
                          std::optional<int> decimals) {
  std::vector<double> keys(values.begin(), values.end());
  for (double& key : keys) {
    if (decimals) {
      const double unit = std::pow(10.0, *decimals);
      key = std::nearbyint(key * unit) / unit;
    }
    if (best == Best::kHighest) key = -key;
  }
  std::vector<double> result(values.size());
  double groups = 0.0;
  visit_groups(keys, [&](std::span<const std::size_t> members, std::size_t first) {
    groups += 1.0;
    double rank = static_cast<double>(first + 1);
    if (ties == Ties::kAverage) rank += static_cast<double>(members.size() - 1) / 2.0;
    if (ties == Ties::kDense) rank = groups;
    for (const std::size_t i : members) result[i] = rank;
  });
  return result;
}

Wilcoxon wilcoxon(std::span<const double> a, std::span<const double> b) {
  assert(a.size() == b.size());
  std::vector<double> sizes;
  std::vector<bool> positive;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double difference = a[i] - b[i];
    if (difference == 0.0) continue;
    sizes.push_back(std::abs(difference));
    positive.push_back(difference > 0.0);
  }
  Wilcoxon result;
  if (sizes.empty()) return result;

  double plus = 0.0;
  double minus = 0.0;
  double tie_term = 0.0;
  visit_groups(sizes, [&](std::span<const std::size_t> members, std::size_t first) {
    const auto count = static_cast<double>(members.size());
    const double rank = static_cast<double>(first) + (count + 1.0) / 2.0;
    for (const std::size_t i : members) (positive[i] ? plus : minus) += rank;
    tie_term += count * count * count - count;
  });
  const auto n = static_cast<double>(sizes.size());
  result.statistic = std::min(plus, minus);
  const double variance = n * (n + 1.0) * (2.0 * n + 1.0) / 24.0 - tie_term / 48.0;
  const double z = (result.statistic - n * (n + 1.0) / 4.0) / std::sqrt(variance);
  result.p_normal = std::erfc(std::abs(z) / std::numbers::sqrt2);
  const bool untied = tie_term == 0.0 && sizes.size() == a.size();
  if (untied && sizes.size() <= 50) {
    const double tail = lower_tail(sizes.size(), static_cast<std::size_t>(result.statistic));
    result.p_exact = std::min(1.0, 2.0 * tail);
  }
  return result;
}

}  // namespace uaspl
