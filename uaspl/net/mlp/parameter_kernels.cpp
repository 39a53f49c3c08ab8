// Kernels for gradients and parameters other than products: the sum, the step, the transposition;
// see kernels.hpp. This file is compiled once for each instruction set.
#include "uaspl/base/vector_targets.hpp"
#include "uaspl/net/mlp/kernels.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "uaspl/net/mlp/parameter_kernels.cpp"
#include <hwy/foreach_target.h>  // NOLINT: must precede highway.h

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace uaspl::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using D = HWY_CAPPED(float, kPad);
using V = hn::Vec<D>;

void SgdStep(std::span<float> weights, std::span<float> momentum,
             const float* HWY_RESTRICT gradient, const Sgd& sgd) {
  const D d;
  const std::size_t lanes = hn::Lanes(d);
  const V rate = hn::Set(d, sgd.rate);
  const V decay = hn::Set(d, sgd.decay);
  const V keep = hn::Set(d, sgd.momentum);
  for (std::size_t i = 0; i < weights.size(); i += lanes) {
    const V w = hn::Load(d, weights.data() + i);
    V grad = hn::MulAdd(decay, w, hn::Load(d, gradient + i));
    if (!sgd.first) grad = hn::MulAdd(keep, hn::Load(d, momentum.data() + i), grad);
    hn::Store(grad, d, momentum.data() + i);
    hn::Store(hn::NegMulAdd(rate, grad, w), d, weights.data() + i);
  }
}

void AdamWStep(std::span<float> weights, std::span<float> mean, std::span<float> square,
               const float* HWY_RESTRICT gradient, const AdamW& adamw) {
  const D d;
  const std::size_t lanes = hn::Lanes(d);
  const V rate = hn::Set(d, adamw.rate);
  const V keep = hn::Set(d, adamw.keep);
  const V take = hn::Set(d, 1.0F - adamw.keep);
  const V second_keep = hn::Set(d, adamw.second_keep);
  const V second_take = hn::Set(d, 1.0F - adamw.second_keep);
  const V shrink = hn::Set(d, adamw.shrink);
  const V root_correct = hn::Set(d, adamw.root_correct);
  const V epsilon = hn::Set(d, 1e-8F);
  for (std::size_t i = 0; i < weights.size(); i += lanes) {
    const V g = hn::Load(d, gradient + i);
    const V m = hn::MulAdd(keep, hn::Load(d, mean.data() + i), hn::Mul(take, g));
    const V v = hn::MulAdd(second_keep, hn::Load(d, square.data() + i),
                           hn::Mul(second_take, hn::Mul(g, g)));
    hn::Store(m, d, mean.data() + i);
    hn::Store(v, d, square.data() + i);
    const V root = hn::MulAdd(root_correct, hn::Sqrt(v), epsilon);
    const V w = hn::Mul(shrink, hn::Load(d, weights.data() + i));
    hn::Store(hn::NegMulAdd(rate, hn::Div(m, root), w), d, weights.data() + i);
  }
}

void AddAsTree(std::span<const float* const> from, std::span<float> sum) {
  const D d;
  const std::size_t lanes = hn::Lanes(d);
  if (from.size() == 2) {  // no detour through memory
    for (std::size_t i = 0; i < sum.size(); i += lanes)
      hn::Store(hn::Add(hn::Load(d, from[0] + i), hn::Load(d, from[1] + i)), d, sum.data() + i);
    return;
  }
  V branch[32];
  for (std::size_t i = 0; i < sum.size(); i += lanes) {
    for (std::size_t b = 0; b < from.size(); ++b) branch[b] = hn::Load(d, from[b] + i);
    for (std::size_t width = from.size() / 2; width > 0; width /= 2)
      for (std::size_t b = 0; b < width; ++b) branch[b] = hn::Add(branch[2 * b], branch[2 * b + 1]);
    hn::Store(branch[0], d, sum.data() + i);
  }
}

#if HWY_TARGET != HWY_SCALAR
// Transposes 4 x 4 values in registers; with vectors of 8 values, the upper halves hold those of
// the 4 rows below.
#if HWY_MAX_BYTES >= 32
using Square = hn::FixedTag<float, 8>;
#else
using Square = hn::FixedTag<float, 4>;
#endif

HWY_INLINE hn::Vec<Square> load_square_row(const float* HWY_RESTRICT x, std::size_t stride) {
  const hn::FixedTag<float, 4> d;
#if HWY_MAX_BYTES >= 32
  return hn::Combine(Square(), hn::Load(d, x + 4 * stride), hn::Load(d, x));
#else
  (void)stride;
  return hn::Load(d, x);
#endif
}

HWY_INLINE void transpose_square(const float* HWY_RESTRICT x, std::size_t in_stride,
                                 float* HWY_RESTRICT y, std::size_t out_stride) {
  const Square d;
  const auto r0 = load_square_row(x, in_stride);
  const auto r1 = load_square_row(x + in_stride, in_stride);
  const auto r2 = load_square_row(x + 2 * in_stride, in_stride);
  const auto r3 = load_square_row(x + 3 * in_stride, in_stride);
  const auto a = hn::InterleaveLower(d, r0, r2);
  const auto b = hn::InterleaveLower(d, r1, r3);
  const auto c = hn::InterleaveUpper(d, r0, r2);
  const auto e = hn::InterleaveUpper(d, r1, r3);
  hn::Store(hn::InterleaveLower(d, a, b), d, y);
  hn::Store(hn::InterleaveUpper(d, a, b), d, y + out_stride);
  hn::Store(hn::InterleaveLower(d, c, e), d, y + 2 * out_stride);
  hn::Store(hn::InterleaveUpper(d, c, e), d, y + 3 * out_stride);
}
#endif

// Transposes a matrix in squares, and its borders one by one.
void Transpose(const float* HWY_RESTRICT in, std::size_t rows, std::size_t cols,
               std::size_t in_stride, float* HWY_RESTRICT out, std::size_t out_stride) {
  std::size_t done = 0;  // rows transposed in squares
  std::size_t width = 0;
#if HWY_TARGET != HWY_SCALAR
  const std::size_t height = hn::Lanes(Square());
  done = rows / height * height;
  width = cols / 4 * 4;
  for (std::size_t i = 0; i < done; i += height)
    for (std::size_t j = 0; j < width; j += 4)
      transpose_square(in + i * in_stride + j, in_stride, out + j * out_stride + i, out_stride);
#endif
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = i < done ? width : 0; j < cols; ++j)
      out[j * out_stride + i] = in[i * in_stride + j];
}

}  // namespace uaspl::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace uaspl::kernels {

HWY_EXPORT(SgdStep);
HWY_EXPORT(AdamWStep);
HWY_EXPORT(AddAsTree);
HWY_EXPORT(Transpose);

void sgd_step(std::span<float> weights, std::span<float> momentum, const float* gradient,
              const Sgd& sgd) {
  HWY_DYNAMIC_DISPATCH(SgdStep)(weights, momentum, gradient, sgd);
}

void adamw_step(std::span<float> weights, std::span<float> mean, std::span<float> square,
                const float* gradient, const AdamW& adamw) {
  HWY_DYNAMIC_DISPATCH(AdamWStep)(weights, mean, square, gradient, adamw);
}

void add_as_tree(std::span<const float* const> from, std::span<float> sum) {
  HWY_DYNAMIC_DISPATCH(AddAsTree)(from, sum);
}

void transpose(const float* in, std::size_t rows, std::size_t cols, std::size_t in_stride,
               float* out, std::size_t out_stride) {
  HWY_DYNAMIC_DISPATCH(Transpose)(in, rows, cols, in_stride, out, out_stride);
}

}  // namespace uaspl::kernels
#endif  // HWY_ONCE
