// Independent chains of fused multiply-adds in registers, enough to hide their latency.
#include "bench/peak.hpp"

#include <cstddef>

#include "uaspl/base/vector_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "bench/peak.cpp"
#include <hwy/foreach_target.h>  // NOLINT: must precede highway.h

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace peak::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

double Spend(float& sink) {
  constexpr std::size_t kChains = 12;
  constexpr std::size_t kRounds = 100000;
  const HWY_FULL(float) d;
  hn::Vec<decltype(d)> sum[kChains];
  for (std::size_t c = 0; c < kChains; ++c) sum[c] = hn::Set(d, static_cast<float>(c));
  const auto a = hn::Set(d, 0.999F + sink * 1e-30F);
  const auto b = hn::Set(d, 1e-3F);
  for (std::size_t i = 0; i < kRounds; ++i)
    for (std::size_t c = 0; c < kChains; ++c) sum[c] = hn::MulAdd(sum[c], a, b);
  for (std::size_t c = 1; c < kChains; ++c) sum[0] = hn::Add(sum[0], sum[c]);
  sink = hn::GetLane(hn::SumOfLanes(d, sum[0]));
  return 2.0 * kChains * kRounds * static_cast<double>(hn::Lanes(d));
}

}  // namespace peak::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace peak {

HWY_EXPORT(Spend);

double spend() {
  static volatile float kept = 1.0F;
  float sink = kept;
  const double operations = HWY_DYNAMIC_DISPATCH(Spend)(sink);
  kept = sink;
  return operations;
}

}  // namespace peak

double spend_fused_multiply_adds() { return peak::spend(); }
#endif  // HWY_ONCE
