// The evidential loss: Dirichlet outputs, with every term of the paper's loss and its variants.
#pragma once

#include "uaspl/loss/loss.hpp"

namespace uaspl {

// L = emse_scale EMSE + kl_scale coeff KL + correct_evidence R
struct EvidentialTerms {
  Evidence evidence = Evidence::kRelu;
  double emse_scale = 1.0;
  double kl_scale = 1.0;
  bool adaptive = true;           // coeff = u if correct, 1-u if wrong; if not adaptive 1
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
