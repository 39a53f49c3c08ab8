// Computes weights from the influence of rows on others.
#pragma once

#include <span>
#include <vector>

namespace uaspl {

// Returns max(0, -influence) scaled to mean 1, then cut off at `most`: rows count by how much they
// lower the loss of others. If no row does, all count alike.
std::vector<float> helpful_weights(std::span<const float> influences, double most);

}  // namespace uaspl
