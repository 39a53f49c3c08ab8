// Fits the factor on a row's evidence, see novelty.hpp.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "uaspl/method/k_means.hpp"
#include "uaspl/trust/novelty.hpp"

namespace uaspl {
namespace {

constexpr std::size_t kMostRows = 4000;
constexpr std::size_t kMostGroups = 160;
constexpr std::size_t kRowsOfAGroup = 8;
constexpr double kShare = 0.99;  // of the rows that are nearer than the unit

// Mean and population deviation of an input; levels and constants keep their unit.
void fit_scale(Novelty::Data& data, const DoubleMatrix& rows, std::size_t input, bool level) {
  double n = 0.0;
  double mean = 0.0;  // as it was after each row
  double squares = 0.0;
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    const double x = rows(i, input);
    if (std::isnan(x)) continue;
    n += 1.0;
    const double off = x - mean;
    mean += off / n;
    squares += off * (x - mean);
  }
  const double variance = n > 0.0 ? squares / n : 0.0;
  const double deviation = std::sqrt(variance);
  const bool kept = level || !(deviation > 1e-12 * std::abs(mean)) || !std::isfinite(deviation);
  data.mean.push_back(level || !std::isfinite(mean) ? 0.0 : mean);
  data.scale.push_back(kept ? 1.0 : deviation);
}

Matrix scaled(const Novelty::Data& data, const DoubleMatrix& rows, std::span<const int> chosen) {
  Matrix points(chosen.size(), rows.cols());
  for (std::size_t i = 0; i < chosen.size(); ++i)
    for (std::size_t j = 0; j < rows.cols(); ++j) {
      const double z =
          (rows(static_cast<std::size_t>(chosen[i]), j) - data.mean[j]) / data.scale[j];
      points(i, j) = std::isfinite(z) ? static_cast<float>(std::clamp(z, -1e15, 1e15)) : 0.0F;
    }
  return points;
}

struct Groups {
  DoubleMatrix sums;
  std::vector<std::size_t> sizes;
};

Groups sum_up(const Matrix& points, std::span<const int> group_of, std::size_t count) {
  Groups groups{DoubleMatrix(count, points.cols()), std::vector<std::size_t>(count)};
  for (std::size_t i = 0; i < points.rows(); ++i) {
    const auto g = static_cast<std::size_t>(group_of[i]);
    ++groups.sizes[g];
    for (std::size_t j = 0; j < points.cols(); ++j)
      groups.sums(g, j) += static_cast<double>(points(i, j));
  }
  return groups;
}

// The nearest of the groups that are large enough to be kept.
std::size_t nearest_kept(const Groups& groups, std::span<const float> point) {
  std::size_t best = groups.sizes.size();
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t g = 0; g < groups.sizes.size(); ++g) {
    if (groups.sizes[g] < Novelty::kSmallestGroup) continue;
    double sum = 0.0;
    for (std::size_t j = 0; j < point.size(); ++j) {
      const double off =
          static_cast<double>(point[j]) - groups.sums(g, j) / static_cast<double>(groups.sizes[g]);
      sum += off * off;
    }
    if (sum < least) least = sum, best = g;
  }
  return best;
}

// Rows of groups that are too small join the nearest one that is not; if there is none, all rows
// are one group.
std::vector<int> with_large_groups(const Matrix& points, std::vector<int> group_of,
                                   std::size_t count) {
  const Groups groups = sum_up(points, group_of, count);
  for (std::size_t i = 0; i < points.rows(); ++i) {
    if (groups.sizes[static_cast<std::size_t>(group_of[i])] >= Novelty::kSmallestGroup) continue;
    const std::size_t other = nearest_kept(groups, points.row(i));
    group_of[i] = other < count ? static_cast<int>(other) : 0;
  }
  return group_of;
}

// The distance of each row from the nearest centre, as if it had no part in its own.
std::vector<double> distances(const Matrix& points, std::span<const int> group_of,
                              const Groups& groups) {
  std::vector<double> result;
  for (std::size_t i = 0; i < points.rows(); ++i) {
    double nearest = std::numeric_limits<double>::infinity();
    for (std::size_t g = 0; g < groups.sizes.size(); ++g) {
      const bool own = static_cast<std::size_t>(group_of[i]) == g;
      if (groups.sizes[g] < (own ? 2U : 1U)) continue;
      const auto size = static_cast<double>(groups.sizes[g] - (own ? 1 : 0));
      double sum = 0.0;
      for (std::size_t j = 0; j < points.cols(); ++j) {
        const auto x = static_cast<double>(points(i, j));
        const double off = x - (groups.sums(g, j) - (own ? x : 0.0)) / size;
        sum += off * off;
      }
      nearest = std::min(nearest, sum);
    }
    result.push_back(
        std::isfinite(nearest) ? std::sqrt(nearest / static_cast<double>(points.cols())) : 0.0);
  }
  return result;
}

}  // namespace

Novelty fit_novelty(const DoubleMatrix& rows, const std::vector<bool>& level,
                    std::vector<std::pair<std::size_t, std::size_t>> categories,
                    std::uint64_t seed) {
  Novelty::Data data{.categories = std::move(categories)};
  std::vector<bool> indicators = level;  // in their units, 0 and 1
  for (const auto& [first, last] : data.categories)
    std::fill(indicators.begin() + static_cast<std::ptrdiff_t>(first),
              indicators.begin() + static_cast<std::ptrdiff_t>(last), true);
  for (std::size_t j = 0; j < rows.cols(); ++j) fit_scale(data, rows, j, indicators[j]);
  std::vector<int> chosen(rows.rows());
  std::iota(chosen.begin(), chosen.end(), 0);
  if (chosen.size() > kMostRows) {
    Stream(seed, "rows of novelty").shuffle(chosen);
    chosen.resize(kMostRows);
    std::ranges::sort(chosen);
  }
  const Matrix points = scaled(data, rows, chosen);
  const std::size_t count = std::clamp<std::size_t>(points.rows() / kRowsOfAGroup, 1, kMostGroups);
  const std::vector<int> group_of =
      with_large_groups(points, k_means(points, count, Stream(seed, "groups of novelty")), count);
  const Groups groups = sum_up(points, group_of, count);
  std::vector<float> centres;
  for (std::size_t g = 0; g < count; ++g) {
    if (groups.sizes[g] == 0) continue;
    for (std::size_t j = 0; j < points.cols(); ++j)
      centres.push_back(
          static_cast<float>(groups.sums(g, j) / static_cast<double>(groups.sizes[g])));
  }
  const std::size_t kept = centres.size() / std::max<std::size_t>(points.cols(), 1);
  data.centres = Matrix(kept, points.cols(), std::move(centres));
  std::vector<double> far = distances(points, group_of, groups);
  const auto place = static_cast<std::size_t>(kShare * static_cast<double>(far.size() - 1));
  std::ranges::nth_element(far, far.begin() + static_cast<std::ptrdiff_t>(place));
  data.unit = std::max(far[place], 1e-6);
  return Novelty(std::move(data));
}

}  // namespace uaspl
