// Decides how UASPL paces itself by the network.
#pragma once

#include <span>

namespace uaspl {

// Whether the last of the losses is not 1 % below the one `window` passes before it.
bool has_settled(std::span<const double> losses, int window);

// Limits of the growth from one stage to the next.
constexpr double kLeastGrowth = 0.05;
constexpr double kMostGrowth = 0.30;

// Returns the share of all losses that lie below the mean of the hardest tenth of the losses of the
// chosen rows, within the limits of growth, and at most 1.
double next_share(double share, std::span<const float> losses, std::span<const int> chosen);

// Returns an equal part of the passes that are left for this stage and those that may still follow,
// so that all rows are taken in however slowly the stages grow.
int part_of_passes(double share, int left);

}  // namespace uaspl
