// Weights of classes: how much the rows of each class count in training.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "uaspl/data/target.hpp"

namespace uaspl {

struct ClassWeights {
  // All classes count equally together: a row of class k has the weight n / (K n_k), where n rows
  // are trained on, n_k of them of the class, and K classes occur. Rows with weights of their own
  // are counted by them.
  bool balanced = false;
  // Or the weights of these classes by name, finite and above 0; those of others are 1.
  std::map<std::string, double, std::less<>> of = {};

  bool any() const { return balanced || !of.empty(); }
  std::string text() const;  // as parse_class_weights reads it; classes in alphabetical order
};

// Reads `balanced`, or NAME=WEIGHT,...; weights of 1 change nothing and are left out.
ClassWeights parse_class_weights(std::string_view text);

// Throws, with the known ones, if a class is named that the target does not have.
void check_class_weights(const ClassWeights& weights, const Target& target);

// Returns the weight of each class of the target in training on rows with these labels, which have
// these weights (all 1, if there are none).
std::vector<double> weights_of_classes(const ClassWeights& weights, const Target& target,
                                       std::span<const int> labels,
                                       std::span<const double> row_weights);

}  // namespace uaspl
