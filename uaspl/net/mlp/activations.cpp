// Activations and dropout, see kernels.hpp. This file is compiled once for each instruction set.
#include "uaspl/base/rng.hpp"
#include "uaspl/base/vector_targets.hpp"
#include "uaspl/net/mlp/kernels.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "uaspl/net/mlp/activations.cpp"
#include <hwy/foreach_target.h>  // NOLINT: must precede highway.h

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace uaspl::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using D = HWY_CAPPED(float, kPad);
using V = hn::Vec<D>;

// The number of vectors side by side. An activation is a long chain of operations, each waiting for
// the one before: several chains at a time keep the units busy. The values were measured.
constexpr std::size_t kSideBySide = HWY_TARGET <= HWY_AVX3 ? 2 : 4;

template <std::size_t kVecs>
struct Vectors {
  HWY_INLINE Vectors() {}  // one made by GCC would be for the baseline on ARM
  V of[kVecs];
};

template <std::size_t kVecs, typename Operation>
HWY_INLINE Vectors<kVecs> each(Operation operation) {
  Vectors<kVecs> all;
  for (std::size_t v = 0; v < kVecs; ++v) all.of[v] = operation(v);
  return all;
}

// Computes x p + constant.
template <std::size_t kVecs>
HWY_INLINE Vectors<kVecs> horner(D d, const Vectors<kVecs>& x, const Vectors<kVecs>& p,
                                 float constant) {
  return each<kVecs>([&](std::size_t v)
                         HWY_ATTR { return hn::MulAdd(p.of[v], x.of[v], hn::Set(d, constant)); });
}

// The density of the normal distribution at z where root = |z| sqrt(log2(e) / 2), at most 11:
// 2^-w / sqrt(2 pi) with w = root^2. 2^n 2^f, |f| <= 1/2, polynomial of degree 5 (relative error
// 8e-8) that has the constant in its coefficients. Subtracting from 1.5 * 2^23 rounds to an
// integer, n, and leaves it in the low bits, ready for the exponent: conversions would check for an
// overflow that cannot happen.
template <std::size_t kVecs>
HWY_INLINE Vectors<kVecs> bell_of(D d, const Vectors<kVecs>& root) {
  const hn::RebindToSigned<D> di;
  const V magic = hn::Set(d, 12582912.0F);
  const auto shifted = each<kVecs>(
      [&](std::size_t v) HWY_ATTR { return hn::NegMulAdd(root.of[v], root.of[v], magic); });
  const auto f = each<kVecs>([&](std::size_t v) HWY_ATTR {
    return hn::NegMulAdd(root.of[v], root.of[v], hn::Sub(magic, shifted.of[v]));
  });
  auto p = each<kVecs>([&](std::size_t) HWY_ATTR { return hn::Set(d, 5.29654664e-4F); });
  for (const float constant :
       {3.85998274e-3F, 2.21441421e-2F, 9.58343922e-2F, 0.276525632F, 0.398942309F})
    p = horner(d, f, p, constant);
  return each<kVecs>([&](std::size_t v) HWY_ATTR {
    const auto exponent = hn::ShiftLeft<23>(hn::BitCast(di, shifted.of[v]));
    return hn::BitCast(d, hn::Add(hn::BitCast(di, p.of[v]), exponent));
  });
}

// Phi(-|z|) = phi(z) t P(t) with t = 1/(1 + 0.28 |z|): P is a minimax fit whose error in z Phi(z)
// is 1.1e-8 before rounding. It shares the density phi with the slope Phi(z) + z phi(z).
template <std::size_t kVecs>
HWY_INLINE void gelu_vectors(D d, float* HWY_RESTRICT value, float* HWY_RESTRICT slope) {
  const std::size_t lanes = hn::Lanes(d);
  const V one = hn::Set(d, 1.0F);
  constexpr float kRoot = 0.849321800F;
  const auto z =
      each<kVecs>([&](std::size_t v) HWY_ATTR { return hn::Load(d, value + v * lanes); });
  const auto root = each<kVecs>([&](std::size_t v) HWY_ATTR {
    return hn::Min(hn::Abs(hn::Mul(z.of[v], hn::Set(d, kRoot))), hn::Set(d, 11.0F));
  });
  const auto t = each<kVecs>([&](std::size_t v) HWY_ATTR {
    return hn::Div(one, hn::MulAdd(root.of[v], hn::Set(d, 0.28F / kRoot), one));
  });
  const auto bell = bell_of(d, root);
  auto p = each<kVecs>([&](std::size_t) HWY_ATTR { return hn::Set(d, -0.266526414F); });
  for (const float constant :
       {0.982767233F, -0.603270287F, 0.681734615F, 0.166012369F, 0.292596594F})
    p = horner(d, t, p, constant);
  for (std::size_t v = 0; v < kVecs; ++v) {
    const V below = hn::Mul(hn::Mul(bell.of[v], t.of[v]), p.of[v]);  // Phi(-|z|)
    // Not IfNegativeThenElse: that of Highway 1.0 is wrong for floats below SSE4.
    const V phi = hn::IfThenElse(hn::Lt(z.of[v], hn::Zero(d)), below, hn::Sub(one, below));
    hn::Store(hn::Mul(z.of[v], phi), d, value + v * lanes);
    hn::Store(hn::MulAdd(z.of[v], bell.of[v], phi), d, slope + v * lanes);
  }
}

void Gelu(const Rows& z, float* HWY_RESTRICT slope) {
  const D d;
  const std::size_t lanes = hn::Lanes(d);
  for (std::size_t i = 0; i < z.rows; ++i) {
    float* HWY_RESTRICT row = z.data + i * z.stride;
    float* HWY_RESTRICT out = slope + i * z.stride;
    std::size_t j = 0;
    for (; j + kSideBySide * lanes <= z.cols; j += kSideBySide * lanes)
      gelu_vectors<kSideBySide>(d, row + j, out + j);
    for (; j < z.cols; j += lanes) gelu_vectors<1>(d, row + j, out + j);
  }
}

}  // namespace uaspl::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace uaspl::kernels {

HWY_EXPORT(Gelu);

void gelu(const Rows& z, float* slope) { HWY_DYNAMIC_DISPATCH(Gelu)(z, slope); }

void dropout(const Rows& z, float* slope, float rate, std::uint64_t seed, std::size_t first_row) {
  const float scale = 1.0F / (1.0F - rate);
  const auto threshold = static_cast<std::uint32_t>(rate * 65536.0F);  // 16 random bits a value
  for (std::size_t i = 0; i < z.rows; ++i) {
    Stream stream(seed, "dropout", first_row + i);
    float* value = z.data + i * z.stride;
    float* derivative = slope + i * z.stride;
    for (std::size_t j = 0; j < z.cols; j += 4) {
      const std::uint64_t word = stream.word();
      for (std::size_t lane = 0; lane < 4; ++lane) {
        const float factor = ((word >> (16 * lane)) & 0xffff) < threshold ? 0.0F : scale;
        value[j + lane] *= factor;
        derivative[j + lane] *= factor;
      }
    }
  }
}

}  // namespace uaspl::kernels
#endif  // HWY_ONCE
