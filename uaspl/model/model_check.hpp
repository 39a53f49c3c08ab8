// Says whether a model can be used: the same rules hold where one is written and where one is read,
// so that no program writes what another one refuses.
#pragma once

#include "uaspl/model/model.hpp"

namespace uaspl {

// Checks all but the weights. Throws an Error that says what is wrong.
void check_description(const Model& model);

// Checks that all weights are finite, and that there are as many as networks for images have: the
// shapes are compared by the network, which asks for its memory first.
void check_weights(const Model& model);

}  // namespace uaspl
