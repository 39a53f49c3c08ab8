// Computes weights from how much the predictions of rows have varied.
#pragma once

#include <span>
#include <vector>

#include "uaspl/base/rng.hpp"
#include "uaspl/method/history.hpp"

namespace uaspl {

// Returns sqrt(var + var^2 / (visits - 1)) + floor for the rows at these positions, scaled to mean
// 1; all 1 while some row has fewer than two visits.
std::vector<float> variance_weights(const PredictionHistory& history,
                                    std::span<const int> positions, double floor);

// Returns how often each row comes in as many draws as there are rows, with replacement and with
// probabilities proportional to the weights.
std::vector<float> draw_counts(std::span<const float> weights, Stream stream);

}  // namespace uaspl
