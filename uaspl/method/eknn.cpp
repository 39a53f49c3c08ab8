// Evidential nearest neighbours, see eknn.hpp.
#include "uaspl/method/eknn.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>

#include "uaspl/method/distances.hpp"

namespace uaspl {
namespace {

// Rows in the order of their classes, so that a class is a range of columns.
struct ByClass {
  std::vector<int> order;
  std::vector<std::size_t> begin;  // first place of each class; one more at the end

  ByClass(std::span<const int> labels, std::size_t classes)
      : order(labels.size()), begin(classes + 1) {
    for (const int label : labels) ++begin[static_cast<std::size_t>(label) + 1];
    std::partial_sum(begin.begin(), begin.end(), begin.begin());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, {}, [&](int i) { return labels[static_cast<std::size_t>(i)]; });
  }
};

constexpr float kInfinity = std::numeric_limits<float>::infinity();

// Puts a row into a list of the nearest, nearest first and ties by position, if it belongs there;
// time grows with the length of the list.
void keep_nearest(std::span<int> rows, std::span<float> squared, int row, float distance) {
  if (std::isnan(distance)) distance = kInfinity;
  const auto before = [&](std::size_t at) {
    return distance < squared[at] || (distance == squared[at] && row < rows[at]);
  };
  std::size_t at = rows.size();
  for (; at > 0 && before(at - 1); --at) {
    if (at == rows.size()) continue;
    rows[at] = rows[at - 1];
    squared[at] = squared[at - 1];
  }
  if (at == rows.size()) return;
  rows[at] = row;
  squared[at] = distance;
}

// Applies Dempster's rule in closed form: m({q}) ~ (1 - P_q) / P_q and m(frame) ~ 1, both divided
// by the largest 1 / P_q so that many neighbours do not overflow.
void combine(std::span<const double> log_doubt, std::span<double> masses) {
  const double lowest = std::min(0.0, std::ranges::min(log_doubt));
  double sum = masses.back() = std::exp(lowest);
  for (std::size_t q = 0; q < log_doubt.size(); ++q)
    sum += masses[q] = -std::expm1(log_doubt[q]) * std::exp(lowest - log_doubt[q]);
  for (double& mass : masses) mass /= sum;
}

double share(double sum, double pairs) { return pairs > 0.0 ? sum / pairs : 0.0; }

}  // namespace

Neighbourhood find_neighbours(const Matrix& points, std::span<const int> labels,
                              std::size_t classes, std::size_t k) {
  const std::size_t n = points.rows();
  const ByClass sorted(labels, classes);
  const PointBlocks blocks(points, sorted.order);
  Neighbourhood found{.count = std::min(k, n - std::min<std::size_t>(n, 1)),
                      .rows = {},
                      .squared = {},
                      .mean_distances = std::vector<double>(classes)};
  found.rows.assign(n * found.count, std::numeric_limits<int>::max());
  found.squared.assign(n * found.count, kInfinity);
  if (found.count == 0) return found;

  AlignedVector<float> squared(PointBlocks::kBlock);
  for (std::size_t b = 0; b < blocks.blocks(); ++b) {  // a block stays in cache while rows pass
    const std::size_t first = blocks.first(b);
    const std::size_t size = blocks.size(b);
    for (std::size_t i = 0; i < n; ++i) {
      const auto rows = std::span(found.rows).subspan(i * found.count, found.count);
      const auto kept = std::span(found.squared).subspan(i * found.count, found.count);
      blocks.squared_distances(points.row(i), b, squared.data());
      const std::span<const float> distances(squared.data(), size);
      for (std::size_t j = 0; (j = find_not_above(distances, j, kept.back())) < size; ++j)
        if (const int row = sorted.order[first + j]; row != static_cast<int>(i))
          keep_nearest(rows, kept, row, distances[j]);
      // The row itself is at distance 0 and adds nothing to the sums.
      const auto label = static_cast<std::size_t>(labels[i]);
      const std::size_t from = std::clamp(sorted.begin[label], first, first + size) - first;
      const std::size_t to = std::clamp(sorted.begin[label + 1], first, first + size) - first;
      found.mean_distances[label] += sum_of_roots(distances.subspan(from, to - from));
    }
  }
  for (std::size_t q = 0; q < classes; ++q) {
    const auto members = static_cast<double>(sorted.begin[q + 1] - sorted.begin[q]);
    found.mean_distances[q] = share(found.mean_distances[q], members * (members - 1.0));
  }
  return found;
}

double mean_distance(const Matrix& points) {
  std::vector<int> all(points.rows());
  std::iota(all.begin(), all.end(), 0);
  const PointBlocks blocks(points, all);
  AlignedVector<float> squared(PointBlocks::kBlock);
  double sum = 0.0;
  for (std::size_t b = 0; b < blocks.blocks(); ++b) {
    for (std::size_t i = 0; i < points.rows(); ++i) {
      blocks.squared_distances(points.row(i), b, squared.data());
      sum += sum_of_roots({squared.data(), blocks.size(b)});
    }
  }
  const auto rows = static_cast<double>(points.rows());
  return share(sum, rows * (rows - 1.0));
}

DoubleMatrix eknn_masses(const Matrix& points, std::span<const int> labels, std::size_t classes,
                         const Eknn& options) {
  const Neighbourhood near = find_neighbours(points, labels, classes, options.neighbours);
  std::vector<double> gamma(classes, 1.0);
  std::optional<double> overall;
  for (const int label : labels) {
    double scale = near.mean_distances[static_cast<std::size_t>(label)];
    if (!(scale > 0.0)) {  // a single row, or equal rows
      if (!overall) overall = mean_distance(points);
      scale = *overall;
    }
    if (scale > 0.0 && std::isfinite(scale)) gamma[static_cast<std::size_t>(label)] = 1.0 / scale;
  }

  DoubleMatrix masses(points.rows(), classes + 1);
  for (std::size_t i = 0; i < masses.rows(); ++i) {
    // log P_q, P_q the product of what the neighbours of class q leave to ignorance
    std::vector<double> log_doubt(classes, 0.0);
    for (std::size_t j = i * near.count; j < (i + 1) * near.count; ++j) {
      const auto q = static_cast<std::size_t>(labels[static_cast<std::size_t>(near.rows[j])]);
      const double scaled = gamma[q] * gamma[q] * static_cast<double>(near.squared[j]);
      log_doubt[q] += std::log1p(-options.alpha * std::exp(-scaled));
    }
    combine(log_doubt, masses.row(i));
  }
  return masses;
}

DoubleMatrix eknn_pignistic(const DoubleMatrix& masses) {
  const std::size_t classes = masses.cols() - 1;
  DoubleMatrix p(masses.rows(), classes);
  for (std::size_t i = 0; i < p.rows(); ++i)
    for (std::size_t q = 0; q < classes; ++q)
      p(i, q) = masses(i, q) + masses(i, classes) / static_cast<double>(classes);
  return p;
}

}  // namespace uaspl
