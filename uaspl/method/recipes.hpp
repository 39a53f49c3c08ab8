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

inline Loss softmax_loss(const Stage& stage) {
  return stage.naive_cross_entropy ? naive_cross_entropy() : cross_entropy();
}

// spl.cpp
std::unique_ptr<Method> make_direct();
std::unique_ptr<Method> make_superloss(const Settings& settings);
std::unique_ptr<Method> make_spl(Weights weights, const Settings& settings);

// controls.cpp; the order in which rows come
enum class Order { kRandom, kHardest };
std::unique_ptr<Method> make_spl_control(Order order);
std::unique_ptr<Method> make_uaspl_control(Order order, const Settings& settings);
std::unique_ptr<Method> make_majority(const Settings& settings);

// difficulty.cpp
std::unique_ptr<Method> make_el2n(const Settings& settings);
std::unique_ptr<Method> make_forgetting(const Settings& settings);
std::unique_ptr<Method> make_aum(const Settings& settings);

// spld.cpp, dihcl.cpp
std::unique_ptr<Method> make_spld(const Settings& settings);
std::unique_ptr<Method> make_uaspl_diverse(const Settings& settings);
std::unique_ptr<Method> make_dihcl(const Settings& settings);

// edl.cpp
std::unique_ptr<Method> make_edl(const Settings& settings);
std::unique_ptr<Method> make_edl_ce(const Settings& settings);
std::unique_ptr<Method> make_r_edl(const Settings& settings);
std::unique_ptr<Method> make_i_edl(const Settings& settings);

// uaspl_reliable.cpp, uaspl_adaptive.cpp
std::unique_ptr<Method> make_uaspl_reliable(const Settings& settings);
std::unique_ptr<Method> make_uaspl_adaptive(const Settings& settings);

// uaspl.cpp; the options `evidence` and `beta`, and the loss that they make
Evidence evidence_option(const Settings& settings);
StageLoss uaspl_loss(const Settings& settings);
// How the divergence is weighted in the loss.
enum class Divergence { kAdaptive, kConstant, kGrowing };
std::unique_ptr<Method> make_uaspl(Divergence divergence, Weights weights,
                                   const Settings& settings);
std::unique_ptr<Method> make_uaspl_hybrid(const Settings& settings);
std::unique_ptr<Method> make_uaspl_ce(const Settings& settings);

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

// spup.cpp, active_bias.cpp, mw_net.cpp, lre.cpp
std::unique_ptr<Method> make_spl_spup(const Settings& settings);
std::unique_ptr<Method> make_active_bias(const Settings& settings);
std::unique_ptr<Method> make_mw_net(const Settings& settings);
std::unique_ptr<Method> make_lre(const Settings& settings);

}  // namespace uaspl
