// Computes squared Euclidean distances from some points to many others, a block at a time.
#pragma once

#include <cstddef>
#include <span>

#include "uaspl/base/aligned.hpp"
#include "uaspl/base/matrix.hpp"

namespace uaspl {

// Points laid out for vectors: coordinate by coordinate, in blocks of kBlock points.
class PointBlocks {
 public:
  static constexpr std::size_t kBlock = 256;

  // Lays out the given rows of a matrix in the given order.
  PointBlocks(const Matrix& points, std::span<const int> order);

  std::size_t points() const { return points_; }
  std::size_t blocks() const { return (points_ + kBlock - 1) / kBlock; }
  std::size_t first(std::size_t block) const { return block * kBlock; }
  std::size_t size(std::size_t block) const;  // points in it

  // Computes squared[j] = |point - j-th point of the block|^2, each summed over the coordinates in
  // their order; `squared` has room for kBlock values.
  void squared_distances(std::span<const float> point, std::size_t block, float* squared) const;

 private:
  std::size_t points_;
  std::size_t dimensions_;
  AlignedVector<float> values_;
};

// Returns the first place from `from` on whose value is not above the limit or is NaN, or else the
// size.
std::size_t find_not_above(std::span<const float> values, std::size_t from, float limit);

// Returns the sum of square roots, in double.
double sum_of_roots(std::span<const float> squares);

}  // namespace uaspl
