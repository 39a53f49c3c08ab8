// How ambiguous the classes of rows are, from class probabilities that belief masses give.
#pragma once

#include <span>
#include <vector>

#include "uaspl/base/matrix.hpp"

namespace uaspl {

// Entropy of each row's probabilities, divided by the highest one; rows whose likeliest class is
// not their label have the highest.
std::vector<double> ambiguity(const DoubleMatrix& probabilities, std::span<const int> labels);

}  // namespace uaspl
