// The evidential loss in closed form, a vector of rows at a time, in double. Compiled once for each
// instruction set.
#include "uaspl/loss/evidential.hpp"

#include "uaspl/base/vector_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "uaspl/loss/evidential.cpp"
#include <hwy/foreach_target.h>  // NOLINT: must precede highway.h

#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace uaspl::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using D = HWY_CAPPED(double, kLossPad);
using V = hn::Vec<D>;

HWY_INLINE V constant(double x) { return hn::Set(D(), x); }

struct VectorGammaTerms {
  V combined;
  V digamma;
  V trigamma;
};

// For x >= 1. Shifted up by 6, where 8 terms of the asymptotic series leave an error below 1e-14:
//   log G(y) = (y-1/2) log y - y + log(2 pi)/2 + sum b_k / (2k (2k-1) y^(2k-1))
//   psi(y)   = log y - 1/(2y) - sum b_k / (2k y^(2k)),   psi'(y) = 1/y + 1/(2y^2) + sum b_k /
//   y^(2k+1)
// In the combined term, x log x and x cancel by algebra, not by subtraction, so that evidence of
// any size keeps its precision.
HWY_NOINLINE VectorGammaTerms GammaTermsOf(V x) {
  constexpr double kBernoulli[] = {1.0 / 6,  -1.0 / 30,     1.0 / 42, -1.0 / 30,
                                   5.0 / 66, -691.0 / 2730, 7.0 / 6,  -3617.0 / 510};
  const D d;
  const V one = constant(1.0);
  // x (x+1) ... (x+5) in pairs of equal sum, u + v = 2x + 5 and u v = x^2 + 5x + (0, 4, 6): with i
  // = 1 / (u v), 1/u + 1/v is (u + v) i and 1/u^2 + 1/v^2 is (u + v)^2 i^2 - 2 i. One division for
  // all.
  const V outer = hn::Mul(x, hn::Add(x, constant(5.0)));
  const V middle = hn::Add(outer, constant(4.0));
  const V inner = hn::Add(outer, constant(6.0));
  const V product = hn::Mul(outer, hn::Mul(middle, inner));
  const V inverse_product = hn::Div(one, product);
  const V i_outer = hn::Mul(hn::Mul(middle, inner), inverse_product);
  const V i_middle = hn::Mul(hn::Mul(outer, inner), inverse_product);
  const V i_inner = hn::Mul(hn::Mul(outer, middle), inverse_product);
  const V pair_sum = hn::Add(hn::Add(x, x), constant(5.0));
  const V inverses = hn::Add(i_outer, hn::Add(i_middle, i_inner));
  const V squares =
      hn::MulAdd(i_outer, i_outer, hn::MulAdd(i_middle, i_middle, hn::Mul(i_inner, i_inner)));
  const V inverse_sum = hn::Mul(pair_sum, inverses);
  const V inverse_squares =
      hn::NegMulAdd(constant(2.0), inverses, hn::Mul(hn::Mul(pair_sum, pair_sum), squares));
  const V y = hn::Add(x, constant(6.0));
  const V inverse = hn::Div(one, y);
  const V square = hn::Mul(inverse, inverse);
  V log_series = hn::Zero(d);  // Horner in 1/y^2
  V psi_series = hn::Zero(d);
  V psi1_series = hn::Zero(d);
  for (int k = 8; k >= 1; --k) {
    const double b = kBernoulli[k - 1];
    log_series = hn::MulAdd(log_series, square, constant(b / (2.0 * k * (2.0 * k - 1.0))));
    psi_series = hn::MulAdd(psi_series, square, constant(b / (2.0 * k)));
    psi1_series = hn::MulAdd(psi1_series, square, constant(b));
  }
  const V log_y = hn::Log(d, y);
  const V half_inverse = hn::Mul(inverse, constant(0.5));
  const V tail = hn::MulAdd(psi_series, square, half_inverse);  // log y - psi(y)
  const V digamma = hn::Sub(hn::Sub(log_y, tail), inverse_sum);
  const V psi1_y = hn::MulAdd(hn::MulAdd(psi1_series, square, half_inverse), inverse, inverse);
  const V trigamma = hn::Add(psi1_y, inverse_squares);
  constexpr double kHalfLogTwoPi = 0.91893853320467274178;
  const V logs = hn::NegMulAdd(constant(-6.5), log_y, hn::Neg(hn::Log(d, product)));
  const V rest = hn::MulAdd(log_series, inverse, constant(kHalfLogTwoPi - 6.0));
  const V slope = hn::Mul(hn::Sub(x, one), hn::Add(tail, inverse_sum));
  return {hn::Add(logs, hn::Add(rest, slope)), digamma, trigamma};
}

HWY_INLINE V LogGamma(V x) {
  const VectorGammaTerms terms = GammaTermsOf(x);
  return hn::Sub(hn::MulAdd(hn::Sub(x, constant(1.0)), terms.digamma, terms.combined), x);
}

// Computes the evidence and its derivative.
HWY_INLINE V EvidenceOf(Evidence evidence, V o, V& slope) {
  const D d;
  const V zero = hn::Zero(d);
  const V one = constant(1.0);
  if (evidence == Evidence::kRelu) {
    slope = hn::IfThenElseZero(hn::Gt(o, zero), one);
    return hn::Max(o, zero);
  }
  if (evidence == Evidence::kSoftplus) {
    const auto linear = hn::Gt(o, constant(20.0));
    const V power = hn::Exp(d, hn::Min(o, constant(20.0)));
    slope = hn::IfThenElse(linear, one, hn::Div(power, hn::Add(one, power)));
    return hn::IfThenElse(linear, o, hn::Log1p(d, power));
  }
  const V power = hn::Exp(d, hn::Min(o, constant(kExpCap)));
  slope = hn::IfThenElseZero(hn::Le(o, constant(kExpCap)), power);
  return power;
}

// The sums that the first pass over the classes collects for a vector of rows.
struct RowSums {
  V label;
  V strength;        // S = sum alpha
  V wrong_strength;  // S~: the same with alpha_y = 1
  V alpha_y;
  V logit_y;
  V predicted;  // argmax of the logits, lowest index on ties
  V poison;     // 0, or NaN where a logit is not finite: vector maxima lose a NaN
};

HWY_NOINLINE RowSums SumRow(const LossBlock& block, Evidence evidence, std::size_t i) {
  const D d;
  const V zero = hn::Zero(d);
  const V one = constant(1.0);
  RowSums sums{hn::Load(d, block.labels + i), zero, zero, one, zero, zero, zero};
  V top = hn::Set(d, -hwy::HighestValue<double>());
  for (std::size_t k = 0; k < block.classes; ++k) {
    const std::size_t at = k * block.stride + i;
    const V raw = hn::Load(d, block.logits + at);
    const V o = hn::IfThenElseZero(hn::IsFinite(raw), raw);
    const V index = constant(static_cast<double>(k));
    V slope;
    const V alpha = hn::Add(EvidenceOf(evidence, o, slope), one);
    hn::Store(alpha, d, block.work + at);
    if (block.gradient) hn::Store(slope, d, block.gradient + at);
    const auto is_label = hn::Eq(sums.label, index);
    sums.strength = hn::Add(sums.strength, alpha);
    sums.wrong_strength = hn::Add(sums.wrong_strength, hn::IfThenElse(is_label, one, alpha));
    sums.alpha_y = hn::IfThenElse(is_label, alpha, sums.alpha_y);
    sums.logit_y = hn::IfThenElse(is_label, o, sums.logit_y);
    sums.predicted = hn::IfThenElse(hn::Gt(o, top), index, sums.predicted);
    top = hn::Max(o, top);
    sums.poison = hn::MulAdd(raw, zero, sums.poison);
  }
  return sums;
}

// Computes KL and, in the second half of the work space, dKL/dalpha, which is 0 for the label.
HWY_NOINLINE V Divergence(const LossBlock& block, const RowSums& sums, V log_gamma_classes,
                          std::size_t i) {
  const D d;
  const V one = constant(1.0);
  const auto classes = static_cast<double>(block.classes);
  const VectorGammaTerms all = GammaTermsOf(sums.wrong_strength);
  const V pull = hn::Mul(hn::Sub(sums.wrong_strength, constant(classes)), all.trigamma);
  V kl = hn::MulAdd(constant(classes - 1.0), all.digamma, all.combined);
  kl = hn::Sub(kl, hn::Add(log_gamma_classes, one));
  const double* const alphas = block.work + i;
  double* const slopes = block.work + block.classes * block.stride + i;
  // Goes over the classes except the label: those above it move down by one, and their slopes up
  // again.
  V slope_below = hn::Zero(d);
  for (std::size_t k = 0; k < block.classes; ++k) {
    const auto above = hn::Lt(sums.label, constant(static_cast<double>(k)));
    const auto is_label = hn::Eq(sums.label, constant(static_cast<double>(k)));
    V slope = hn::Zero(d);
    if (k + 1 < block.classes) {
      const V alpha =
          hn::IfThenElse(hn::Or(above, is_label), hn::Load(d, alphas + (k + 1) * block.stride),
                         hn::Load(d, alphas + k * block.stride));
      const VectorGammaTerms terms = GammaTermsOf(alpha);
      kl = hn::Sub(kl, terms.combined);
      slope = hn::MulSub(hn::Sub(alpha, one), terms.trigamma, pull);
    }
    hn::Store(hn::IfThenZeroElse(is_label, hn::IfThenElse(above, slope_below, slope)), d,
              slopes + k * block.stride);
    slope_below = slope;
  }
  return hn::Max(kl, hn::Zero(d));
}

// Does the same for two classes. With the wrong class's alpha, KL = log alpha - 1 + 1 / alpha.
HWY_INLINE V DivergenceOfTwo(const LossBlock& block, const RowSums& sums, std::size_t i) {
  const D d;
  const V one = constant(1.0);
  const V alpha = hn::Sub(sums.wrong_strength, one);
  const V inverse = hn::Div(one, alpha);
  const V slope = hn::NegMulAdd(inverse, inverse, inverse);
  double* const slopes = block.work + 2 * block.stride + i;
  const auto first = hn::Eq(sums.label, hn::Zero(d));
  hn::Store(hn::IfThenZeroElse(first, slope), d, slopes);
  hn::Store(hn::IfThenElseZero(first, slope), d, slopes + block.stride);
  return hn::Max(hn::Sub(hn::Add(hn::Log(d, alpha), inverse), one), hn::Zero(d));
}

// The expected cross-entropy psi(S) - psi(alpha_y), and its slope on the evidence of the label and
// of every other class.
struct CrossEntropy {
  V loss;
  V label_slope;
  V slope;
};

HWY_NOINLINE CrossEntropy ExpectedCrossEntropy(const RowSums& sums, double scale) {
  const V factor = constant(scale);
  const VectorGammaTerms all = GammaTermsOf(sums.strength);
  const VectorGammaTerms own = GammaTermsOf(sums.alpha_y);
  return {hn::Mul(factor, hn::Sub(all.digamma, own.digamma)),
          hn::Mul(factor, hn::Sub(all.trigamma, own.trigamma)), hn::Mul(factor, all.trigamma)};
}

void EvidentialBlock(const LossBlock& block, const EvidentialTerms& terms) {
  const D d;
  const V one = constant(1.0);
  const V zero = hn::Zero(d);
  const V emse_scale = constant(terms.emse_scale);
  const V kl_scale = constant(
      terms.kl_by_classes ? terms.kl_scale / static_cast<double>(block.classes) : terms.kl_scale);
  const V log_gamma_classes = LogGamma(constant(static_cast<double>(block.classes)));
  double* const kl_slopes = block.work + block.classes * block.stride;
  for (std::size_t i = 0; i < block.rows; i += hn::Lanes(d)) {
    const RowSums sums = SumRow(block, terms.evidence, i);
    const V inverse = hn::Div(one, sums.strength);
    const V u = hn::Mul(constant(static_cast<double>(block.classes)), inverse);

    // EMSE = 1 - 2 q_y + Q + (1-Q)/(S+1) with q = alpha/S, Q = sum q^2
    V squares = zero;
    for (std::size_t k = 0; k < block.classes; ++k) {
      const V q = hn::Mul(hn::Load(d, block.work + k * block.stride + i), inverse);
      squares = hn::MulAdd(q, q, squares);
    }
    const V q_y = hn::Mul(sums.alpha_y, inverse);
    const V next_inverse = hn::Div(one, hn::Add(sums.strength, one));
    const V spread = hn::Mul(hn::Sub(one, squares), next_inverse);  // (1-Q)/(S+1)
    const V emse = hn::Add(hn::NegMulAdd(constant(2.0), q_y, one), hn::Add(squares, spread));

    // coeff = c u + (1-c)(1-u); its slope is the same for every alpha
    const auto correct = hn::Eq(sums.predicted, sums.label);
    const V du = hn::Neg(hn::Mul(u, inverse));  // -K/S^2
    V coeff = kl_scale;
    V coeff_slope = zero;
    if (terms.coefficient != Coefficient::kOne)
      coeff = hn::Mul(kl_scale, hn::IfThenElse(correct, u, hn::Sub(one, u)));
    if (terms.coefficient == Coefficient::kAdaptive)
      coeff_slope = hn::Mul(kl_scale, hn::IfThenElse(correct, du, hn::Neg(du)));
    V kl = zero;
    if (terms.kl_scale != 0.0)
      kl = block.classes == 2 ? DivergenceOfTwo(block, sums, i)
                              : Divergence(block, sums, log_gamma_classes, i);
    const V pull = hn::Mul(constant(terms.correct_evidence), u);
    V loss = hn::MulAdd(coeff, kl, hn::MulAdd(emse_scale, emse, sums.poison));
    CrossEntropy ce{};
    if (terms.ce_scale != 0.0) {
      ce = ExpectedCrossEntropy(sums, terms.ce_scale);
      loss = hn::Add(loss, ce.loss);
    }
    loss = hn::NegMulAdd(pull, hn::Min(sums.logit_y, zero), loss);
    hn::Store(loss, d, block.loss + i);
    if (!block.gradient) continue;

    const V shrink = hn::Mul(sums.strength, next_inverse);  // S/(S+1)
    const V spread_slope = hn::Mul(spread, next_inverse);
    const auto pulled = hn::Le(sums.logit_y, zero);
    for (std::size_t k = 0; k < block.classes; ++k) {
      const std::size_t at = k * block.stride + i;
      const auto is_label = hn::Eq(sums.label, constant(static_cast<double>(k)));
      const V q = hn::Mul(hn::Load(d, block.work + at), inverse);
      const V miss = hn::Sub(q_y, hn::IfThenElseZero(is_label, one));
      V slope = hn::MulAdd(hn::Sub(q, squares), shrink, miss);
      slope = hn::MulSub(hn::Mul(constant(2.0), slope), inverse, spread_slope);
      slope = hn::MulAdd(kl, coeff_slope, hn::Mul(slope, emse_scale));
      if (terms.kl_scale != 0.0) slope = hn::MulAdd(coeff, hn::Load(d, kl_slopes + at), slope);
      if (terms.ce_scale != 0.0)
        slope = hn::Add(slope, hn::IfThenElse(is_label, ce.label_slope, ce.slope));
      slope = hn::MulAdd(slope, hn::Load(d, block.gradient + at), sums.poison);
      slope = hn::Sub(slope, hn::IfThenElseZero(hn::And(is_label, pulled), pull));
      hn::Store(slope, d, block.gradient + at);
    }
  }
}

void GammaTermsOfOne(double x, GammaTerms& result) {
  const VectorGammaTerms terms = GammaTermsOf(constant(x));
  result = {hn::GetLane(terms.combined), hn::GetLane(terms.digamma), hn::GetLane(terms.trigamma)};
}

double EvidenceOfOne(Evidence evidence, double logit) {
  V slope;
  return hn::GetLane(EvidenceOf(evidence, constant(logit), slope));
}

double EvidenceSlopeOfOne(Evidence evidence, double logit) {
  V slope;
  EvidenceOf(evidence, constant(logit), slope);
  return hn::GetLane(slope);
}

}  // namespace uaspl::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace uaspl {

HWY_EXPORT(EvidentialBlock);
HWY_EXPORT(GammaTermsOfOne);
HWY_EXPORT(EvidenceOfOne);
HWY_EXPORT(EvidenceSlopeOfOne);

Loss evidential_loss(const EvidentialTerms& terms) {
  const auto block_loss = [terms](const LossBlock& block) {
    HWY_DYNAMIC_DISPATCH(EvidentialBlock)(block, terms);
  };
  return {block_loss, terms.evidence};
}

double evidence_of(Evidence evidence, double logit) {
  if (std::isnan(logit)) return logit;  // vector minima and maxima would lose NaN
  return HWY_DYNAMIC_DISPATCH(EvidenceOfOne)(evidence, logit);
}

double evidence_slope(Evidence evidence, double logit) {
  if (std::isnan(logit)) return logit;
  return HWY_DYNAMIC_DISPATCH(EvidenceSlopeOfOne)(evidence, logit);
}

std::vector<float> vacuity(const Matrix& logits, Evidence evidence, double prior) {
  std::vector<float> u(logits.rows());
  const double without = static_cast<double>(logits.cols()) * prior;  // strength without evidence
  for (std::size_t i = 0; i < logits.rows(); ++i) {
    double strength = without;
    for (const float o : logits.row(i)) strength += evidence_of(evidence, o);
    u[i] = static_cast<float>(without / strength);
  }
  return u;
}

GammaTerms gamma_terms(double x) {
  GammaTerms result{};
  HWY_DYNAMIC_DISPATCH(GammaTermsOfOne)(x, result);
  return result;
}

}  // namespace uaspl
#endif  // HWY_ONCE
