// Class probabilities from logits, in double.
#pragma once

#include <span>

#include "uaspl/base/matrix.hpp"

namespace uaspl {

// Row by row: p_k = exp(o_k) / sum exp(o). Not a number where a logit is none.
DoubleMatrix softmax(const Matrix& logits);

// The probability of one class of one row.
double softmax_probability(std::span<const float> logits, std::size_t label);

}  // namespace uaspl
