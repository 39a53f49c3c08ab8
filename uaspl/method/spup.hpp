// Computes the scores of SPL_SPUP.
#pragma once

#include <span>
#include <vector>

#include "uaspl/base/rng.hpp"

namespace uaspl {

// Returns l / tau - 1 - sigma z with z standard normal, so that the largest 1 - l / tau + sigma z
// come first. tau is the threshold of the stage that takes `count` rows.
std::vector<float> disturbed_scores(std::span<const float> losses, std::size_t count, double sigma,
                                    Stream stream);

}  // namespace uaspl
