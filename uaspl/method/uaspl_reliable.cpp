// UASPL with weights by reliability: rows that are right and sure or wrong and unsure keep their
// weight longer than rows that are right and unsure or wrong and sure.
#include "uaspl/method/uaspl_reliable.hpp"

#include <algorithm>

#include "uaspl/loss/evidential.hpp"
#include "uaspl/method/recipes.hpp"

namespace uaspl {

double reliability(bool correct, double vacuity) { return correct ? 1.0 - vacuity : vacuity; }

// v* = max(0, 1 - l / (lambda s)) with s = delta + (1 - delta) rho is linear weighting of l / s.
std::unique_ptr<Method> make_uaspl_reliable(const Settings& settings) {
  const StageLoss loss = uaspl_loss(settings);
  const Evidence evidence = evidence_option(settings);
  const double delta = settings["delta"];
  const auto score = [=](const Stage& stage, const Probe& probe) {
    std::vector<float> scores = probe.losses(loss(stage));
    const std::vector<float> unsure = vacuity(probe.logits(), evidence);
    for (std::size_t i = 0; i < scores.size(); ++i) {
      const auto logits = probe.logits().row(i);
      const bool correct = std::ranges::max_element(logits) - logits.begin() == probe.labels()[i];
      const double rho = reliability(correct, static_cast<double>(unsure[i]));
      scores[i] =
          static_cast<float>(static_cast<double>(scores[i]) / (delta + (1.0 - delta) * rho));
    }
    return scores;
  };
  return paced({.loss = loss, .score = score, .regulariser = linear_weight});
}

}  // namespace uaspl
