// The methods that are recipes; registry.cpp has a table line for each of their forms.
#pragma once

#include <memory>

#include "uaspl/method/pace.hpp"
#include "uaspl/method/registry.hpp"

namespace uaspl {

// The weights of a method's form.
enum class Weights { kHard, kLinear, kMixture };
Regulariser regulariser(Weights weights, const Settings& settings);

// spl.cpp
std::unique_ptr<Method> direct(const Settings& settings);
std::unique_ptr<Method> self_paced(Weights weights, const Settings& settings);

// uaspl.cpp; what weighs the divergence in the loss
enum class Divergence { kAdaptive, kConstant, kGrowing };
std::unique_ptr<Method> uncertainty_aware(Divergence divergence, Weights weights,
                                          const Settings& settings);

}  // namespace uaspl
