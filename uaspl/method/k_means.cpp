// Groups points around centres, see k_means.hpp.
#include "uaspl/method/k_means.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "uaspl/method/distances.hpp"

namespace uaspl {
namespace {

constexpr int kMostRounds = 100;

// Calls `use(row, squared distances)` for each point, with its distances to all centres.
template <typename Use>
void for_distances(const Matrix& points, const Matrix& centres, const Use& use) {
  std::vector<int> order(centres.rows());
  std::iota(order.begin(), order.end(), 0);
  const PointBlocks blocks(centres, order);
  std::vector<float> squared(blocks.blocks() * PointBlocks::kBlock);
  for (std::size_t i = 0; i < points.rows(); ++i) {
    for (std::size_t b = 0; b < blocks.blocks(); ++b)
      blocks.squared_distances(points.row(i), b, squared.data() + blocks.first(b));
    use(i, std::span<const float>(squared).first(centres.rows()));
  }
}

// Returns a place by these weights; the last one if they are all 0.
std::size_t draw(std::span<const double> weights, Stream& stream) {
  double left = stream.uniform() * std::accumulate(weights.begin(), weights.end(), 0.0);
  for (std::size_t i = 0; i + 1 < weights.size(); ++i) {
    left -= weights[i];
    if (left < 0.0) return i;
  }
  return weights.size() - 1;
}

// Draws points as centres, each by its squared distance to the nearest centre before it.
Matrix first_centres(const Matrix& points, std::size_t groups, Stream& stream) {
  Matrix centres(groups, points.cols());
  std::vector<double> nearest(points.rows(), std::numeric_limits<double>::max());
  std::size_t chosen = stream.below(points.rows());
  for (std::size_t g = 0; g < groups; ++g) {
    std::ranges::copy(points.row(chosen), centres.row(g).begin());
    Matrix newest(1, points.cols());
    std::ranges::copy(points.row(chosen), newest.row(0).begin());
    for_distances(points, newest, [&](std::size_t i, std::span<const float> squared) {
      nearest[i] = std::min(nearest[i], static_cast<double>(squared[0]));
    });
    chosen = draw(nearest, stream);
  }
  return centres;
}

// Moves each centre to the mean of its points; one without points stays.
void move_centres(const Matrix& points, std::span<const int> group, Matrix& centres) {
  DoubleMatrix sums(centres.rows(), centres.cols());
  std::vector<std::size_t> counts(centres.rows());
  for (std::size_t i = 0; i < points.rows(); ++i) {
    const auto g = static_cast<std::size_t>(group[i]);
    ++counts[g];
    for (std::size_t c = 0; c < points.cols(); ++c) sums(g, c) += static_cast<double>(points(i, c));
  }
  for (std::size_t g = 0; g < centres.rows(); ++g)
    for (std::size_t c = 0; c < centres.cols() && counts[g] > 0; ++c)
      centres(g, c) = static_cast<float>(sums(g, c) / static_cast<double>(counts[g]));
}

}  // namespace

std::vector<int> k_means(const Matrix& points, std::size_t groups, Stream stream) {
  std::vector<int> group(points.rows(), -1);
  if (points.rows() == 0) return group;
  Matrix centres = first_centres(points, groups, stream);
  for (int round = 0; round < kMostRounds; ++round) {
    bool changed = false;
    for_distances(points, centres, [&](std::size_t i, std::span<const float> squared) {
      const auto nearest = static_cast<int>(std::ranges::min_element(squared) - squared.begin());
      changed = changed || nearest != group[i];
      group[i] = nearest;
    });
    if (!changed) break;
    move_centres(points, group, centres);
  }
  return group;
}

}  // namespace uaspl
