// Computes the scores of the hybrid form of UASPL.
#pragma once

#include <span>
#include <vector>

namespace uaspl {

// Returns (1 - turn) N(loss) + turn N(1 - vacuity); N shifts and scales to 0..1 over all rows.
std::vector<float> hybrid_scores(std::span<const float> losses, std::span<const float> vacuities,
                                 float turn);

}  // namespace uaspl
