// Uncertainty-aware self-paced learning and its ablations: score and loss are the evidential loss
// whose divergence is weighted by u where the row is classified correctly and by 1-u where it is
// not (ablations: by a constant, or by a weight that grows with the stages).
#include "uaspl/loss/evidential.hpp"
#include "uaspl/method/recipes.hpp"

namespace uaspl {

std::unique_ptr<Method> uncertainty_aware(Divergence divergence, Weights weights,
                                          const Settings& settings) {
  EvidentialTerms terms{.evidence = kEvidences[static_cast<std::size_t>(settings["evidence"])],
                        .adaptive = divergence == Divergence::kAdaptive};
  if (terms.adaptive) terms.kl_scale = settings["beta"];
  const auto loss = [terms, divergence](const Stage& stage) {
    EvidentialTerms now = terms;
    if (divergence == Divergence::kGrowing)
      now.kl_scale = static_cast<double>(stage.index + 1) / stage.count;  // beta_t = (t+1)/T
    return evidential_loss(now);
  };
  return paced({.loss = loss, .regulariser = regulariser(weights, settings)});
}

}  // namespace uaspl
