// Products and the output layer, see kernels.hpp. This file is compiled once for each instruction
// set.
#include "uaspl/net/mlp/kernels.hpp"

#include <type_traits>

#include "uaspl/base/vector_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "uaspl/net/mlp/kernels.cpp"
#include <hwy/foreach_target.h>  // NOLINT: must precede highway.h

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace uaspl::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using D = HWY_CAPPED(float, kPad);
using V = hn::Vec<D>;

// Computes one tile of C, kRows x kVecs vectors, kept in registers over the whole depth. 6 x 2
// vectors fill the 16 registers of AVX2: 12 sums, 2 of B, 1 of A.
template <std::size_t kRows, std::size_t kVecs>
HWY_INLINE void tile(const Product& p, std::size_t row, std::size_t col) {
  const D d;
  const std::size_t lanes = hn::Lanes(d);
  V sum[kRows][kVecs];
  for (std::size_t r = 0; r < kRows; ++r)
    for (std::size_t v = 0; v < kVecs; ++v) sum[r][v] = hn::Zero(d);

  const float* HWY_RESTRICT a = p.a.data + row * p.a.row;
  const float* HWY_RESTRICT b = p.b + col;
  for (std::size_t k = 0; k < p.depth; ++k, a += p.a.col, b += p.b_stride) {
    V line[kVecs];
    for (std::size_t v = 0; v < kVecs; ++v) line[v] = hn::Load(d, b + v * lanes);
    for (std::size_t r = 0; r < kRows; ++r) {
      const V x = hn::Set(d, a[r * p.a.row]);
      for (std::size_t v = 0; v < kVecs; ++v) sum[r][v] = hn::MulAdd(x, line[v], sum[r][v]);
    }
  }

  for (std::size_t r = 0; r < kRows; ++r) {
    float* HWY_RESTRICT c = p.c + (row + r) * p.c_stride + col;
    for (std::size_t v = 0; v < kVecs; ++v) {
      V value = sum[r][v];
      if (p.into == Into::kAdd) value = hn::Add(hn::Load(d, c + v * lanes), value);
      if (p.into == Into::kScale) value = hn::Mul(hn::Load(d, c + v * lanes), value);
      hn::Store(value, d, c + v * lanes);
    }
  }
}

// Computes one panel of C: a column strip of B stays in the first-level cache while the rows of A
// pass by.
template <std::size_t kVecs>
HWY_INLINE void panel(const Product& p, std::size_t col) {
  // A narrow remainder would not fill the pipelines, so 7, 8 and 9 rows become two tiles.
  std::size_t row = 0;
  for (; row + 9 < p.rows || row + 6 == p.rows; row += 6) tile<6, kVecs>(p, row, col);
  switch (p.rows - row) {
    case 9:
      tile<5, kVecs>(p, row, col);
      tile<4, kVecs>(p, row + 5, col);
      break;
    case 8:
      tile<4, kVecs>(p, row, col);
      tile<4, kVecs>(p, row + 4, col);
      break;
    case 7:
      tile<4, kVecs>(p, row, col);
      tile<3, kVecs>(p, row + 4, col);
      break;
    case 5: tile<5, kVecs>(p, row, col); break;
    case 4: tile<4, kVecs>(p, row, col); break;
    case 3: tile<3, kVecs>(p, row, col); break;
    case 2: tile<2, kVecs>(p, row, col); break;
    case 1: tile<1, kVecs>(p, row, col); break;
    default: break;
  }
}

void Multiply(const Product& p) {
  const std::size_t lanes = hn::Lanes(D());
  std::size_t col = 0;
  for (; col + 2 * lanes <= p.cols; col += 2 * lanes) panel<2>(p, col);
  for (; col < p.cols; col += lanes) panel<1>(p, col);
}

// Computes the dot products of one row with kClasses rows of w.
template <std::size_t kClasses>
HWY_INLINE void dots(const Rows& a, const Head& head, const float* HWY_RESTRICT x, std::size_t k,
                     float* HWY_RESTRICT out) {
  const D d;
  const std::size_t lanes = hn::Lanes(d);
  V sum[kClasses];
  for (std::size_t c = 0; c < kClasses; ++c) sum[c] = hn::Zero(d);
  const float* HWY_RESTRICT w = head.w + k * head.w_stride;
  for (std::size_t j = 0; j < a.cols; j += lanes) {
    const V v = hn::Load(d, x + j);
    for (std::size_t c = 0; c < kClasses; ++c)
      sum[c] = hn::MulAdd(v, hn::Load(d, w + c * head.w_stride + j), sum[c]);
  }
  for (std::size_t c = 0; c < kClasses; ++c) out[k + c] = hn::GetLane(hn::SumOfLanes(d, sum[c]));
}

// Calls the body for 4 classes at a time, then for the rest; the number is known to the compiler.
template <typename Body>
HWY_INLINE void for_classes(std::size_t classes, Body body) {
  std::size_t k = 0;
  for (; k + 4 <= classes; k += 4) body(std::integral_constant<std::size_t, 4>(), k);
  switch (classes - k) {
    case 3: body(std::integral_constant<std::size_t, 3>(), k); break;
    case 2: body(std::integral_constant<std::size_t, 2>(), k); break;
    case 1: body(std::integral_constant<std::size_t, 1>(), k); break;
    default: break;
  }
}

void HeadForward(const Rows& a, const Head& head, float* HWY_RESTRICT logits) {
  for (std::size_t i = 0; i < a.rows; ++i, logits += head.classes) {
    const float* x = a.data + i * a.stride;
    for_classes(head.classes,
                [&](auto count, std::size_t k) HWY_ATTR { dots<count()>(a, head, x, k, logits); });
  }
}

// Computes the gradient on the last activations, times their slopes, for one row and all of a few
// classes.
template <std::size_t kClasses>
HWY_INLINE void head_row(const Head& head, const float* HWY_RESTRICT dlogits, std::size_t cols,
                         float* HWY_RESTRICT row) {
  const D d;
  const std::size_t lanes = hn::Lanes(d);
  V factor[kClasses];
  for (std::size_t k = 0; k < kClasses; ++k) factor[k] = hn::Set(d, dlogits[k]);
  for (std::size_t j = 0; j < cols; j += lanes) {
    V sum = hn::Zero(d);
    for (std::size_t k = 0; k < kClasses; ++k)
      sum = hn::MulAdd(factor[k], hn::Load(d, head.w + k * head.w_stride + j), sum);
    hn::Store(hn::Mul(sum, hn::Load(d, row + j)), d, row + j);
  }
}

HWY_INLINE void head_row_many(const Head& head, const float* HWY_RESTRICT dlogits, std::size_t cols,
                              float* HWY_RESTRICT row) {
  const D d;
  const std::size_t lanes = hn::Lanes(d);
  for (std::size_t j = 0; j < cols; j += lanes) {
    V sum = hn::Zero(d);
    for (std::size_t k = 0; k < head.classes; ++k)
      sum = hn::MulAdd(hn::Set(d, dlogits[k]), hn::Load(d, head.w + k * head.w_stride + j), sum);
    hn::Store(hn::Mul(sum, hn::Load(d, row + j)), d, row + j);
  }
}

void HeadBackward(const Rows& slope, const Head& head, const float* HWY_RESTRICT dlogits) {
  for (std::size_t i = 0; i < slope.rows; ++i, dlogits += head.classes) {
    float* HWY_RESTRICT row = slope.data + i * slope.stride;
    switch (head.classes) {
      case 2: head_row<2>(head, dlogits, slope.cols, row); break;
      case 3: head_row<3>(head, dlogits, slope.cols, row); break;
      case 4: head_row<4>(head, dlogits, slope.cols, row); break;
      default: head_row_many(head, dlogits, slope.cols, row);
    }
  }
}

// Computes a vector of each of kClasses gradient rows, summed over the rows of the block in two
// chains.
template <std::size_t kClasses>
HWY_INLINE void head_sums(const Rows& a, const Head& head, const float* HWY_RESTRICT dlogits,
                          float* HWY_RESTRICT grad, bool add, std::size_t j) {
  const D d;
  V even[kClasses];
  V odd[kClasses];
  for (std::size_t k = 0; k < kClasses; ++k) {
    even[k] = hn::Zero(d);
    odd[k] = hn::Zero(d);
  }
  const float* HWY_RESTRICT x = a.data + j;
  std::size_t i = 0;
  for (; i + 2 <= a.rows; i += 2, x += 2 * a.stride, dlogits += 2 * head.classes) {
    const V first = hn::Load(d, x);
    const V second = hn::Load(d, x + a.stride);
    for (std::size_t k = 0; k < kClasses; ++k) {
      even[k] = hn::MulAdd(hn::Set(d, dlogits[k]), first, even[k]);
      odd[k] = hn::MulAdd(hn::Set(d, dlogits[head.classes + k]), second, odd[k]);
    }
  }
  for (std::size_t k = 0; k < kClasses; ++k) {
    if (i < a.rows) even[k] = hn::MulAdd(hn::Set(d, dlogits[k]), hn::Load(d, x), even[k]);
    const V sum = hn::Add(even[k], odd[k]);
    float* out = grad + k * head.w_stride + j;
    hn::Store(add ? hn::Add(hn::Load(d, out), sum) : sum, d, out);
  }
}

void HeadGradient(const Rows& a, const Head& head, const float* HWY_RESTRICT dlogits,
                  float* HWY_RESTRICT grad, bool add) {
  const std::size_t lanes = hn::Lanes(D());
  for_classes(head.classes, [&](auto count, std::size_t k) HWY_ATTR {
    for (std::size_t j = 0; j < a.cols; j += lanes)
      head_sums<count()>(a, head, dlogits + k, grad + k * head.w_stride, add, j);
  });
}

const char* TargetName() { return hwy::TargetName(HWY_TARGET); }

}  // namespace uaspl::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace uaspl::kernels {

HWY_EXPORT(Multiply);
HWY_EXPORT(HeadForward);
HWY_EXPORT(HeadBackward);
HWY_EXPORT(HeadGradient);
HWY_EXPORT(TargetName);

void multiply(const Product& product) { HWY_DYNAMIC_DISPATCH(Multiply)(product); }

void head_forward(const Rows& a, const Head& head, float* logits) {
  HWY_DYNAMIC_DISPATCH(HeadForward)(a, head, logits);
}

void head_backward(const Rows& slope, const Head& head, const float* dlogits) {
  HWY_DYNAMIC_DISPATCH(HeadBackward)(slope, head, dlogits);
}

void head_gradient(const Rows& a, const Head& head, const float* dlogits, float* grad, bool add) {
  HWY_DYNAMIC_DISPATCH(HeadGradient)(a, head, dlogits, grad, add);
}

const char* target_name() { return HWY_DYNAMIC_DISPATCH(TargetName)(); }

}  // namespace uaspl::kernels
#endif  // HWY_ONCE
