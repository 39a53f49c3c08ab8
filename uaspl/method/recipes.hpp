// Declares the functions that make the methods; table.cpp has a line for each form of a method.
#pragma once

#include <memory>
#include <vector>

#include "uaspl/loss/cross_entropy.hpp"
#include "uaspl/method/pace.hpp"
#include "uaspl/method/registry.hpp"

namespace uaspl {

// All methods of the library.
std::vector<MethodInfo> method_table();

// The weights of a method's form.
enum class Weights { kHard, kLinear, kMixture };
Regulariser regulariser(Weights weights, const Settings& settings);

inline Loss softmax_loss(const Stage&) { return cross_entropy(); }

// spl.cpp
std::unique_ptr<Method> make_direct();
std::unique_ptr<Method> make_spl(Weights weights, const Settings& settings);

// uaspl.cpp; how the divergence is weighted in the loss
enum class Divergence { kAdaptive, kConstant, kGrowing };
std::unique_ptr<Method> make_uaspl(Divergence divergence, Weights weights,
                                   const Settings& settings);
std::unique_ptr<Method> make_uaspl_hybrid(const Settings& settings);

// belief.cpp; the source of the belief masses
enum class Masses { kEknn, kEcm };
std::unique_ptr<Method> make_clu(Masses masses, const Settings& settings);
std::unique_ptr<Method> make_wsplbf(Masses masses, const Settings& settings);

// output_scores.cpp
std::unique_ptr<Method> make_spl_conf(const Settings& settings);
std::unique_ptr<Method> make_spl_marg(const Settings& settings);

// mc_dropout.cpp
std::unique_ptr<Method> make_mc_mi(const Settings& settings);
std::unique_ptr<Method> make_mc_pbald(const Settings& settings);
std::unique_ptr<Method> make_mc_balent(const Settings& settings);

// spup.cpp, active_bias.cpp, mw_net.cpp
std::unique_ptr<Method> make_spl_spup(const Settings& settings);
std::unique_ptr<Method> make_active_bias(const Settings& settings);
std::unique_ptr<Method> make_mw_net(const Settings& settings);

}  // namespace uaspl
