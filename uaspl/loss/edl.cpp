// The later forms of evidential deep learning, see edl.hpp. The divergence comes from the vector
// code of the evidential loss; the terms of the data are plain loops over the rows, since no form
// is trained for a stage without the products of its network, which cost far more.
#include "uaspl/loss/edl.hpp"

#include <cmath>
#include <functional>
#include <utility>

#include "uaspl/loss/evidential.hpp"

namespace uaspl {
namespace {

// Returns a row's term of the data, and computes its derivative on every alpha.
using DataTerm = std::function<double(std::span<const double> alpha, std::size_t label,
                                      std::span<double> slopes)>;

Loss with_divergence(DataTerm term, Evidence evidence, double prior, double kl_scale) {
  const Loss divergence = evidential_loss({.evidence = evidence,
                                           .emse_scale = 0.0,
                                           .kl_scale = kl_scale,
                                           .coefficient = Coefficient::kOne});
  const auto block_loss = [=, term = std::move(term)](const LossBlock& block) {
    divergence.on(block);  // not a number where a logit is not finite
    std::vector<double> alpha(block.classes);
    std::vector<double> slopes(block.classes);
    for (std::size_t i = 0; i < block.rows; ++i) {
      for (std::size_t k = 0; k < block.classes; ++k)
        alpha[k] = prior + evidence_of(evidence, block.logits[k * block.stride + i]);
      block.loss[i] += term(alpha, static_cast<std::size_t>(block.labels[i]), slopes);
      if (!block.gradient) continue;
      for (std::size_t k = 0; k < block.classes; ++k)
        block.gradient[k * block.stride + i] +=
            slopes[k] * evidence_slope(evidence, block.logits[k * block.stride + i]);
    }
  };
  return {block_loss, evidence, prior};
}

double sum_of(std::span<const double> values) {
  double sum = 0.0;
  for (const double value : values) sum += value;
  return sum;
}

double squared_error(std::span<const double> alpha, std::size_t label, std::span<double> slopes) {
  const double strength = sum_of(alpha);
  double error = 0.0;
  double pull = 0.0;  // sum of miss * p
  for (std::size_t k = 0; k < alpha.size(); ++k) {
    const double p = alpha[k] / strength;
    const double miss = p - (k == label ? 1.0 : 0.0);
    error += miss * miss;
    pull += miss * p;
    slopes[k] = miss;
  }
  for (double& slope : slopes) slope = 2.0 * (slope - pull) / strength;
  return error;
}

// With w_k = psi'(alpha_k), f_k = (y_k - p_k)^2 + p_k (1 - p_k) / (S + 1) and D = 1 / psi'(S) - sum
// 1 / w_k, the loss is sum w_k f_k - c (sum log w_k + log psi'(S) + log D). The parts of D that
// grow with S have cancelled: 1 / psi'(x) is x - 1/2 and a small excess.
double information_error(std::span<const double> alpha, std::size_t label, double information,
                         std::span<double> slopes) {
  const double strength = sum_of(alpha);
  const double next = strength + 1.0;
  const auto classes = static_cast<double>(alpha.size());
  const InformationTerms whole = information_terms(strength);
  // For one class, the determinant is 0 whatever the evidence.
  const double factor = alpha.size() > 1 ? information : 0.0;
  double rest = (classes - 1.0) / 2.0 + whole.excess;  // D
  for (const double a : alpha) rest -= information_terms(a).excess;
  const auto excess_slope = [](const InformationTerms& of) {
    return -of.tetragamma / (of.trigamma * of.trigamma) - 1.0;
  };
  double loss = factor == 0.0 ? 0.0 : -factor * (std::log(whole.trigamma) + std::log(rest));
  double pull = 0.0;    // sum of w_k p_k df_k/dp_k
  double spread = 0.0;  // minus the sum of w_k df_k/dS where p_k is constant
  for (std::size_t k = 0; k < alpha.size(); ++k) {
    const InformationTerms own = information_terms(alpha[k]);
    const double p = alpha[k] / strength;
    const double miss = p - (k == label ? 1.0 : 0.0);
    const double variance = p * (1.0 - p) / next;
    const double error = miss * miss + variance;
    const double error_slope = own.trigamma * (2.0 * miss + (1.0 - 2.0 * p) / next);
    loss += own.trigamma * error - factor * std::log(own.trigamma);
    pull += error_slope * p;
    spread += own.trigamma * variance / next;
    slopes[k] = error_slope / strength + own.tetragamma * error;
    if (factor != 0.0)
      slopes[k] -= factor * (own.tetragamma / own.trigamma - excess_slope(own) / rest);
  }
  double shared = -pull / strength - spread;
  if (factor != 0.0)
    shared -= factor * (whole.tetragamma / whole.trigamma + excess_slope(whole) / rest);
  for (double& slope : slopes) slope += shared;
  return loss;
}

}  // namespace

// psi''(y) = -1/y^2 - 1/y^3 - sum (2k+1) B_2k / y^(2k+2) after shifting x up to y >= 16; the excess
// is taken from psi' where that loses no digits, and from its series beyond.
InformationTerms information_terms(double x) {
  constexpr double kBernoulli[] = {1.0 / 6, -1.0 / 30, 1.0 / 42, -1.0 / 30, 5.0 / 66};
  InformationTerms terms{gamma_terms(x).trigamma, 0.0, 0.0};
  double y = x;
  for (; y < 16.0; y += 1.0) terms.tetragamma -= 2.0 / (y * y * y);
  const double inverse = 1.0 / y;
  const double square = inverse * inverse;
  double series = 0.0;
  for (int k = 5; k >= 1; --k) series = series * square + (2.0 * k + 1.0) * kBernoulli[k - 1];
  terms.tetragamma -= square * (1.0 + inverse + square * series);
  if (x < 30.0) {
    terms.excess = 1.0 / terms.trigamma - x + 0.5;
    return terms;
  }
  // x psi'(x) = 1 + r with r = z/2 + z^2/6 - z^4/30 + ..., z = 1/x, so that the excess is (r/2 +
  // 1/2
  // - r/z) / (1 + r), where 1/2 cancels.
  const double z = 1.0 / x;
  double tail = 0.0;  // (r - z/2) / z^2
  for (int k = 5; k >= 1; --k) tail = tail * z * z + kBernoulli[k - 1];
  const double r = z / 2.0 + z * z * tail;
  terms.excess = (z / 4.0 + z * z * tail / 2.0 - z * tail) / (1.0 + r);
  return terms;
}

Loss edl_cross_entropy(Evidence evidence, double kl_scale) {
  return evidential_loss({.evidence = evidence,
                          .emse_scale = 0.0,
                          .ce_scale = 1.0,
                          .kl_scale = kl_scale,
                          .coefficient = Coefficient::kOne});
}

Loss relaxed_edl(Evidence evidence, double prior, double kl_scale) {
  return with_divergence(squared_error, evidence, prior, kl_scale);
}

Loss information_edl(Evidence evidence, double information, double kl_scale) {
  const auto term = [information](std::span<const double> alpha, std::size_t label,
                                  std::span<double> slopes) {
    return information_error(alpha, label, information, slopes);
  };
  return with_divergence(term, evidence, 1.0, kl_scale);
}

}  // namespace uaspl
