// Computes the scores of self-paced learning with diversity.
#pragma once

#include <span>
#include <vector>

namespace uaspl {

// Returns l - gamma / (sqrt(i) + sqrt(i - 1)) for each row, i its rank by loss within its group,
// from 1 on; ties by position. The rows below a threshold lambda are those that SPLD takes in.
std::vector<float> diverse_scores(std::span<const float> losses, std::span<const int> groups,
                                  double gamma);

}  // namespace uaspl
