// The losses of evidential deep learning's later forms. Its first form (Sensoy et al. 2018) is the
// evidential loss with a constant factor of the divergence.
#pragma once

#include "uaspl/loss/loss.hpp"

namespace uaspl {

// All add kl_scale times the divergence of the wrong classes' evidence from none.

// sum_k Y_k (psi(S) - psi(alpha_k)): the expected cross-entropy (Sensoy et al. 2018).
Loss edl_cross_entropy(Evidence evidence, double kl_scale);

// R-EDL (Chen et al. 2024): the squared error of the mean, alpha = e + prior, without the variance.
Loss relaxed_edl(Evidence evidence, double prior, double kl_scale);

// I-EDL (Deng et al. 2023): squared error and variance of each class weighted by its Fisher
// information psi'(alpha_k), less `information` times log det of the whole.
Loss information_edl(Evidence evidence, double information, double kl_scale);

// For x >= 1: psi'(x), psi''(x), and 1 / psi'(x) - x + 1/2, which goes to 0 as x grows.
struct InformationTerms {
  double trigamma;
  double tetragamma;
  double excess;
};
InformationTerms information_terms(double x);

}  // namespace uaspl
