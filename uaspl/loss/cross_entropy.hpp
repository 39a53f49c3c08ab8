// Cross-entropy on the softmax of the logits.
#pragma once

#include "uaspl/loss/loss.hpp"

namespace uaspl {

Loss cross_entropy();

// The cross-entropy as programs get it that take the logarithm of a softmax in float: where the
// label's probability is below the smallest normal float, the loss is infinite and the gradient is
// no number. It is there to see what that does to a training.
Loss naive_cross_entropy();

}  // namespace uaspl
