// Computes statistics, see stats.hpp.
#include "uaspl/report/stats.hpp"

#include <algorithm>
#include <boost/math/special_functions/gamma.hpp>
#include <cassert>
#include <cmath>
#include <map>
#include <mutex>
#include <numbers>
#include <numeric>

namespace uaspl {
namespace {

// Sorts the values and calls `visit` for each group of equal ones, with the indices of the group
// and its first place in ascending order.
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

// Returns the share of the 2^n sign patterns of ranks 1..n whose positive sum is at most `sum`.
double lower_tail(std::size_t n, std::size_t sum) {
  std::vector<double> patterns(sum + 1);  // number with a positive sum of exactly s
  patterns[0] = 1.0;
  for (std::size_t rank = 1; rank <= n; ++rank)
    for (std::size_t s = sum; s >= rank; --s) patterns[s] += patterns[s - rank];
  const double total = std::accumulate(patterns.begin(), patterns.end(), 0.0);
  return std::ldexp(total, -static_cast<int>(n));
}

}  // namespace

double rounded(double value) { return std::nearbyint(value * 1e12) / 1e12; }

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

Friedman friedman(const DoubleMatrix& values) {
  const auto n = static_cast<double>(values.rows());
  const auto k = static_cast<double>(values.cols());
  std::vector<double> sums(values.cols());
  double tie_term = 0.0;
  for (std::size_t i = 0; i < values.rows(); ++i) {
    const std::vector<double> places = ranks(values.row(i), Best::kLowest);
    for (std::size_t j = 0; j < sums.size(); ++j) sums[j] += places[j];
    visit_groups(values.row(i), [&](std::span<const std::size_t> members, std::size_t) {
      const auto count = static_cast<double>(members.size());
      tie_term += count * count * count - count;
    });
  }
  const double correction = 1.0 - tie_term / (k * (k * k - 1.0) * n);
  if (!(n >= 1.0 && k >= 2.0 && correction > 0.0)) return {};
  double squares = 0.0;
  for (const double sum : sums) squares += sum * sum;
  const double raw = 12.0 / (k * n * (k + 1.0)) * squares - 3.0 * n * (k + 1.0);
  const double statistic = std::max(0.0, raw / correction);
  return {statistic, boost::math::gamma_q((k - 1.0) / 2.0, statistic / 2.0)};
}

namespace {

// Solves P(range > q) = 1 - k integral of phi(z) (Phi(z) - Phi(z - q))^(k-1) dz, by halving an
// interval.
double compute_range_quantile(std::size_t count, double level) {
  const auto exceeded = [&](double q) {
    constexpr int kSteps = 4000;  // of Simpson's rule over -8..8+q
    const double low = -8.0;
    const double width = (16.0 + q) / kSteps;
    const auto normal = [](double z) { return 0.5 * std::erfc(-z / std::numbers::sqrt2); };
    double sum = 0.0;
    for (int i = 0; i <= kSteps; ++i) {
      const double z = low + i * width;
      const double density = std::exp(-0.5 * z * z) / std::sqrt(2.0 * std::numbers::pi);
      const double weight = i == 0 || i == kSteps ? 1.0 : i % 2 == 1 ? 4.0 : 2.0;
      sum +=
          weight * density * std::pow(normal(z) - normal(z - q), static_cast<double>(count) - 1.0);
    }
    return 1.0 - static_cast<double>(count) * sum * width / 3.0;
  };
  double low = 0.0;
  double high = 100.0;
  while (high - low > 1e-10) {
    const double middle = (low + high) / 2.0;
    (exceeded(middle) > level ? low : high) = middle;
  }
  return (low + high) / 2.0;
}

}  // namespace

// Keeps results, because every table of a report asks for the same few.
double range_quantile(std::size_t count, double level) {
  static std::mutex mutex;
  static std::map<std::pair<std::size_t, double>, double> known;
  const std::lock_guard lock(mutex);
  const auto [at, added] = known.try_emplace({count, level}, 0.0);
  if (added) at->second = compute_range_quantile(count, level);
  return at->second;
}

double critical_difference(std::size_t methods, std::size_t datasets, double level) {
  const auto k = static_cast<double>(methods);
  return range_quantile(methods, level) / std::numbers::sqrt2 *
         std::sqrt(k * (k + 1.0) / (6.0 * static_cast<double>(datasets)));
}

std::vector<double> holm(std::span<const double> p) {
  std::vector<std::size_t> order(p.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return p[i]; });
  std::vector<double> adjusted(p.size());
  double highest = 0.0;
  for (std::size_t place = 0; place < order.size(); ++place) {
    const double raised = static_cast<double>(p.size() - place) * p[order[place]];
    highest = std::max(highest, std::min(1.0, raised));
    adjusted[order[place]] = highest;
  }
  return adjusted;
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

std::vector<Comparison> compare_all(const DoubleMatrix& values) {
  const std::vector<double> zeros(values.rows());
  std::vector<Comparison> all;
  std::vector<double> raw;
  for (std::size_t a = 0; a < values.cols(); ++a) {
    for (std::size_t b = a + 1; b < values.cols(); ++b) {
      std::vector<double> differences;  // rounded, so that equal ones tie
      for (std::size_t i = 0; i < values.rows(); ++i)
        differences.push_back(rounded(values(i, a) - values(i, b)));
      raw.push_back(wilcoxon(differences, zeros).p());
      all.push_back({a, b, summarise(differences).mean, raw.back(), 1.0});
    }
  }
  const std::vector<double> corrected = holm(raw);
  for (std::size_t i = 0; i < all.size(); ++i) all[i].p_holm = corrected[i];
  return all;
}

}  // namespace uaspl
