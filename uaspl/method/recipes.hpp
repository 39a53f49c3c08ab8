// What makes the methods; registry.cpp has a table line for each of their forms.
#pragma once

#include <memory>

#include "uaspl/loss/cross_entropy.hpp"
#include "uaspl/method/pace.hpp"
#include "uaspl/method/registry.hpp"

namespace uaspl {

// The weights of a method's form.
enum class Weights { kHard, kLinear, kMixture };
Regulariser regulariser(Weights weights, const Settings& settings);

inline Loss softmax_loss(const Stage&) { return cross_entropy(); }

// spl.cpp
std::unique_ptr<Method> direct_training();
std::unique_ptr<Method> self_paced(Weights weights, const Settings& settings);

// uaspl.cpp; what weighs the divergence in the loss
enum class Divergence { kAdaptive, kConstant, kGrowing };
std::unique_ptr<Method> uncertainty_aware(Divergence divergence, Weights weights,
                                          const Settings& settings);
std::unique_ptr<Method> uncertainty_aware_hybrid(const Settings& settings);

// belief.cpp; where the belief masses come from
enum class Masses { kEknn, kEcm };
std::unique_ptr<Method> uncertainty_first(Masses masses, const Settings& settings);  // CLU
std::unique_ptr<Method> belief_weighted(Masses masses, const Settings& settings);    // WSPLBF

// output_scores.cpp
std::unique_ptr<Method> confident_first(const Settings& settings);
std::unique_ptr<Method> wide_margin_first(const Settings& settings);

// mc_dropout.cpp
std::unique_ptr<Method> low_information_first(const Settings& settings);
std::unique_ptr<Method> low_information_likely(const Settings& settings);
std::unique_ptr<Method> low_balanced_entropy_first(const Settings& settings);

// spup.cpp, active_bias.cpp, mw_net.cpp
std::unique_ptr<Method> disturbed_self_paced(const Settings& settings);
std::unique_ptr<Method> active_bias(const Settings& settings);
std::unique_ptr<Method> meta_weighted(const Settings& settings);

}  // namespace uaspl
