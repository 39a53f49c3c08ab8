// SuperLoss (Castells et al. 2020): a loss of a loss, which weighs easy rows up and hard rows down.
#pragma once

#include "uaspl/loss/cross_entropy.hpp"

namespace uaspl {

// Returns the principal branch of Lambert's function, w e^w = x, for x >= -1/e.
double lambert_w(double x);

// Returns sigma = exp(-W(max(-2/e, (loss - tau) / lambda) / 2)), the weight of a row.
double super_weight(double loss, double tau, double lambda);

// (l - tau) sigma + lambda (ln sigma)^2, less its value at l = 0, with l the inner loss and tau =
// ln K. Its gradient is sigma times that of the inner loss.
Loss superloss(double lambda, const Loss& inner = cross_entropy());

}  // namespace uaspl
