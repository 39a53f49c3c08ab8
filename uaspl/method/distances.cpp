// Squared distances, see distances.hpp. Compiled once for each instruction set.
#include "uaspl/method/distances.hpp"

#include <algorithm>

#include "uaspl/base/vector_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "uaspl/method/distances.cpp"
#include <hwy/foreach_target.h>  // NOLINT: must precede highway.h

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace uaspl::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Works on four vectors of points at a time, so that additions do not wait for each other.
void SquaredDistances(const float* point, std::size_t dimensions, const float* block,
                      std::size_t stride, float* squared) {
  const HWY_CAPPED(float, 16) d;
  const std::size_t lanes = hn::Lanes(d);
  for (std::size_t j = 0; j < stride; j += 4 * lanes) {
    auto sum0 = hn::Zero(d);
    auto sum1 = hn::Zero(d);
    auto sum2 = hn::Zero(d);
    auto sum3 = hn::Zero(d);
    for (std::size_t c = 0; c < dimensions; ++c) {
      const float* row = block + c * stride + j;
      const auto x = hn::Set(d, point[c]);
      const auto d0 = hn::Sub(hn::Load(d, row), x);
      const auto d1 = hn::Sub(hn::Load(d, row + lanes), x);
      const auto d2 = hn::Sub(hn::Load(d, row + 2 * lanes), x);
      const auto d3 = hn::Sub(hn::Load(d, row + 3 * lanes), x);
      sum0 = hn::MulAdd(d0, d0, sum0);
      sum1 = hn::MulAdd(d1, d1, sum1);
      sum2 = hn::MulAdd(d2, d2, sum2);
      sum3 = hn::MulAdd(d3, d3, sum3);
    }
    hn::StoreU(sum0, d, squared + j);
    hn::StoreU(sum1, d, squared + j + lanes);
    hn::StoreU(sum2, d, squared + j + 2 * lanes);
    hn::StoreU(sum3, d, squared + j + 3 * lanes);
  }
}

std::size_t FindNotAbove(const float* values, std::size_t size, std::size_t from, float limit) {
  const HWY_CAPPED(float, 16) d;
  const std::size_t lanes = hn::Lanes(d);
  const auto limits = hn::Set(d, limit);
  for (; from + lanes <= size; from += lanes) {
    const auto above = hn::Gt(hn::LoadU(d, values + from), limits);
    if (!hn::AllTrue(d, above))
      return from + static_cast<std::size_t>(hn::FindFirstTrue(d, hn::Not(above)));
  }
  while (from < size && values[from] > limit) ++from;
  return from;
}

// Takes roots in place; the number of values is a multiple of 16.
void Roots(float* values, std::size_t count) {
  const HWY_CAPPED(float, 16) d;
  for (std::size_t i = 0; i < count; i += hn::Lanes(d))
    hn::Store(hn::Sqrt(hn::Load(d, values + i)), d, values + i);
}

}  // namespace uaspl::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace uaspl {
namespace {

HWY_EXPORT(SquaredDistances);
HWY_EXPORT(FindNotAbove);
HWY_EXPORT(Roots);

}  // namespace

PointBlocks::PointBlocks(const Matrix& points, std::span<const int> order)
    : points_(order.size()), dimensions_(points.cols()), values_(blocks() * kBlock * dimensions_) {
  for (std::size_t i = 0; i < points_; ++i) {
    const auto row = points.row(static_cast<std::size_t>(order[i]));
    float* const block = values_.data() + i / kBlock * kBlock * dimensions_;
    for (std::size_t c = 0; c < dimensions_; ++c) block[c * kBlock + i % kBlock] = row[c];
  }
}

std::size_t PointBlocks::size(std::size_t block) const {
  return std::min(kBlock, points_ - first(block));
}

void PointBlocks::squared_distances(std::span<const float> point, std::size_t block,
                                    float* squared) const {
  HWY_DYNAMIC_DISPATCH(SquaredDistances)
  (point.data(), dimensions_, values_.data() + first(block) * dimensions_, kBlock, squared);
}

std::size_t find_not_above(std::span<const float> values, std::size_t from, float limit) {
  return HWY_DYNAMIC_DISPATCH(FindNotAbove)(values.data(), values.size(), from, limit);
}

double sum_of_roots(std::span<const float> squares) {
  alignas(64) float roots[PointBlocks::kBlock] = {};
  double sum = 0.0;
  for (std::size_t first = 0; first < squares.size(); first += PointBlocks::kBlock) {
    const auto part = squares.subspan(first, std::min(PointBlocks::kBlock, squares.size() - first));
    std::ranges::copy(part, roots);
    HWY_DYNAMIC_DISPATCH(Roots)(roots, (part.size() + 15) / 16 * 16);
    // Four sums, so that an addition need not wait for the one before.
    double sums[4] = {};
    for (std::size_t i = 0; i < part.size(); ++i) sums[i % 4] += static_cast<double>(roots[i]);
    sum += (sums[0] + sums[1]) + (sums[2] + sums[3]);
  }
  return sum;
}

}  // namespace uaspl
#endif  // HWY_ONCE
