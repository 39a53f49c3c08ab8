// Class probabilities from logits, and their entropy, in double.
#pragma once

#include <span>

#include "uaspl/base/matrix.hpp"

namespace uaspl {

// Row by row: p_k = exp(o_k) / sum exp(o). Not a number where a logit is none.
DoubleMatrix softmax(const Matrix& logits);

// -sum p log p in nats, 0 log 0 counting 0. Not a number where a probability is none.
double entropy(std::span<const double> probabilities);

// The probability of one class of one row.
double softmax_probability(std::span<const float> logits, std::size_t label);

}  // namespace uaspl
