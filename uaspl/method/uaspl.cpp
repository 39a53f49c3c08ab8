// Uncertainty-aware self-paced learning and its ablations: score and loss are the evidential loss
// whose divergence is weighted by u where the row is classified correctly and by 1-u where it is
// not (ablations: by a constant, or by a weight that grows with the stages).
#include "uaspl/loss/evidential.hpp"
#include "uaspl/method/pace.hpp"
#include "uaspl/method/recipes.hpp"

namespace uaspl {
namespace {

Evidence evidence_setting(const Settings& settings) {
  return kEvidences[static_cast<std::size_t>(settings["evidence"])];
}

StageLoss adaptive(const Settings& settings) {
  const EvidentialTerms terms{.evidence = evidence_setting(settings), .kl_scale = settings["beta"]};
  return [terms](const Stage&) { return evidential_loss(terms); };
}

StageLoss constant_beta(const Settings& settings) {
  const EvidentialTerms terms{.evidence = evidence_setting(settings), .adaptive = false};
  return [terms](const Stage&) { return evidential_loss(terms); };
}

// beta_t = (t+1)/T
StageLoss growing_beta(const Settings& settings) {
  EvidentialTerms terms{.evidence = evidence_setting(settings), .adaptive = false};
  return [terms](const Stage& stage) mutable {
    terms.kl_scale = static_cast<double>(stage.index + 1) / stage.count;
    return evidential_loss(terms);
  };
}

Regulariser mixture_setting(const Settings& settings) { return mixture_weight(settings["gamma"]); }

}  // namespace

std::unique_ptr<Method> make_uaspl(const Settings& s) { return paced({.loss = adaptive(s)}); }

std::unique_ptr<Method> make_uaspl_linear(const Settings& s) {
  return paced({.loss = adaptive(s), .regulariser = linear_weight});
}

std::unique_ptr<Method> make_uaspl_mixture(const Settings& s) {
  return paced({.loss = adaptive(s), .regulariser = mixture_setting(s)});
}

std::unique_ptr<Method> make_uaspl_beta1(const Settings& s) {
  return paced({.loss = constant_beta(s)});
}

std::unique_ptr<Method> make_uaspl_beta1_linear(const Settings& s) {
  return paced({.loss = constant_beta(s), .regulariser = linear_weight});
}

std::unique_ptr<Method> make_uaspl_beta1_mixture(const Settings& s) {
  return paced({.loss = constant_beta(s), .regulariser = mixture_setting(s)});
}

std::unique_ptr<Method> make_uaspl_beta_t(const Settings& s) {
  return paced({.loss = growing_beta(s)});
}

std::unique_ptr<Method> make_uaspl_beta_t_linear(const Settings& s) {
  return paced({.loss = growing_beta(s), .regulariser = linear_weight});
}

std::unique_ptr<Method> make_uaspl_beta_t_mixture(const Settings& s) {
  return paced({.loss = growing_beta(s), .regulariser = mixture_setting(s)});
}

}  // namespace uaspl
