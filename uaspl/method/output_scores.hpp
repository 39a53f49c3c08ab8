// Scores the difficulty of rows by class probabilities alone, without the label.
#pragma once

#include <span>

namespace uaspl {

double least_confidence(std::span<const double> p);  // 1 - highest probability
double small_margin(std::span<const double> p);      // 1 - (highest - second highest)

}  // namespace uaspl
