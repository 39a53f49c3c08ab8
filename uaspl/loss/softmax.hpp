// Computes class probabilities from logits, and their entropy, in double.
#pragma once

#include <span>

#include "uaspl/base/matrix.hpp"

namespace uaspl {

// Computes p_k = exp(o_k) / sum exp(o) row by row; NaN if a logit is not a number.
DoubleMatrix softmax(const Matrix& logits);

// Returns -sum p log p in nats, with 0 log 0 = 0; NaN if a probability is not a number.
double entropy(std::span<const double> probabilities);

// Returns the probability of one class of one row.
double softmax_probability(std::span<const float> logits, std::size_t label);

}  // namespace uaspl
