// The pure parts of CLU and WSPLBF: how ambiguous the classes of rows are, from class probabilities
// that belief masses give, and what follows for score and weight.
#pragma once

#include <span>
#include <vector>

#include "uaspl/base/matrix.hpp"
#include "uaspl/method/method.hpp"

namespace uaspl {

// Returns the entropy of each row's probabilities, divided by the highest entropy. Rows whose
// likeliest class is not their label, or whose probabilities are not numbers, get the highest
// value.
std::vector<double> ambiguity(const DoubleMatrix& probabilities, std::span<const int> labels);

// Returns the weight of the ambiguity against the loss: (1 - t/(T-1))^power, from 1 to 0.
double trust_in_ambiguity(const Stage& stage, double power);

// Returns (1 - trust) loss / highest loss + trust ambiguity.
std::vector<float> belief_scores(std::span<const double> ambiguity, std::span<const float> losses,
                                 double trust);

// Returns the probability of each row's label to the given power.
std::vector<float> belief_weights(const DoubleMatrix& probabilities, std::span<const int> labels,
                                  double power);

}  // namespace uaspl
