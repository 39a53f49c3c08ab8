// The evidential loss: Dirichlet outputs, with every term of the paper's loss and its variants.
#pragma once

#include "uaspl/loss/loss.hpp"

namespace uaspl {

// Which factor the divergence has: u if the row is right and 1-u if it is wrong, with or without
// the gradient that flows through u, or 1.
enum class Coefficient { kAdaptive, kAdaptiveConstant, kOne };

// L = emse_scale EMSE + ce_scale CE + kl_scale coeff KL + correct_evidence R
struct EvidentialTerms {
  Evidence evidence = Evidence::kRelu;
  double emse_scale = 1.0;
  double ce_scale = 0.0;  // CE = psi(S) - psi(alpha_y), the expected cross-entropy
  double kl_scale = 1.0;
  bool kl_by_classes = false;  // kl_scale is shared by the classes, of which there may be many
  Coefficient coefficient = Coefficient::kAdaptive;
  double correct_evidence = 0.0;  // R = -u min(o_y, 0), u constant
};

Loss evidential_loss(const EvidentialTerms& terms);

// exp evidence caps logits at this value, so that it cannot overflow.
constexpr double kExpCap = 30.0;

// Returns e(o) of one logit, as the loss computes it.
double evidence_of(Evidence evidence, double logit);
double evidence_slope(Evidence evidence, double logit);  // de/do

// Returns the vacuity u = K prior / sum(alpha) of each row of logits, alpha = e + prior.
std::vector<float> vacuity(const Matrix& logits, Evidence evidence, double prior = 1.0);

// For x >= 1: digamma, trigamma, and log Gamma(x) - (x-1) digamma(x) + x, the part of the
// divergence that stays small when its terms grow.
struct GammaTerms {
  double combined;
  double digamma;
  double trigamma;
};
GammaTerms gamma_terms(double x);

}  // namespace uaspl
