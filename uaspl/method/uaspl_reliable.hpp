// Says how far a row's uncertainty agrees with its prediction.
#pragma once

namespace uaspl {

// Returns rho = c (1 - u) + (1 - c) u, 0..1: high if right and sure, or wrong and unsure.
double reliability(bool correct, double vacuity);

}  // namespace uaspl
