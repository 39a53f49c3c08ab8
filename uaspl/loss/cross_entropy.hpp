// Cross-entropy on the softmax of the logits.
#pragma once

#include "uaspl/loss/loss.hpp"

namespace uaspl {

Loss cross_entropy();

}  // namespace uaspl
