// Cross-entropy: L = logsumexp(o) - o_y, dL/do = p - Y. Compiled once for each instruction set.
#include "uaspl/loss/cross_entropy.hpp"

#include "uaspl/base/vector_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "uaspl/loss/cross_entropy.cpp"
#include <hwy/foreach_target.h>  // NOLINT: must precede highway.h

#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace uaspl::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

void CrossEntropy(const LossBlock& block) {
  const HWY_CAPPED(double, kLossPad) d;
  const auto zero = hn::Zero(d);
  for (std::size_t i = 0; i < block.rows; i += hn::Lanes(d)) {
    const double* o = block.logits + i;
    const auto label = hn::Load(d, block.labels + i);
    const auto finite = [&](std::size_t k) HWY_ATTR {
      const auto raw = hn::Load(d, o + k * block.stride);
      return hn::IfThenElseZero(hn::IsFinite(raw), raw);
    };
    auto top = finite(0);
    for (std::size_t k = 1; k < block.classes; ++k) top = hn::Max(top, finite(k));

    auto sum = zero;
    auto target = zero;
    auto poison = zero;  // 0, or NaN where a logit is not finite: vector maxima lose a NaN
    for (std::size_t k = 0; k < block.classes; ++k) {
      const auto logit = finite(k);
      const auto power = hn::Exp(d, hn::Sub(logit, top));
      sum = hn::Add(sum, power);
      poison = hn::MulAdd(hn::Load(d, o + k * block.stride), zero, poison);
      const auto is_label = hn::Eq(label, hn::Set(d, static_cast<double>(k)));
      target = hn::IfThenElse(is_label, logit, target);
      hn::Store(power, d, block.work + k * block.stride + i);
    }
    const auto loss = hn::Add(hn::Log(d, sum), hn::Sub(top, target));
    hn::Store(hn::Add(loss, poison), d, block.loss + i);
    if (!block.gradient) continue;

    const auto scale = hn::Div(hn::Set(d, 1.0), sum);
    for (std::size_t k = 0; k < block.classes; ++k) {
      const auto is_label = hn::Eq(label, hn::Set(d, static_cast<double>(k)));
      const auto hit = hn::IfThenElseZero(is_label, hn::Set(d, 1.0));
      const auto p = hn::MulAdd(hn::Load(d, block.work + k * block.stride + i), scale, poison);
      hn::Store(hn::Sub(p, hit), d, block.gradient + k * block.stride + i);
    }
  }
}

}  // namespace uaspl::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace uaspl {

HWY_EXPORT(CrossEntropy);

Loss cross_entropy() {
  return {[](const LossBlock& block) { HWY_DYNAMIC_DISPATCH(CrossEntropy)(block); }, std::nullopt};
}

}  // namespace uaspl
#endif  // HWY_ONCE
