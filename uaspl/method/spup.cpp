// SPL_SPUP (Guo et al. 2018): self-paced learning whose choice of rows is disturbed by a noise that
// fades with the stages.
#include <algorithm>

#include "uaspl/method/recipes.hpp"

namespace uaspl {
namespace {

constexpr double kLeastThreshold = 1e-12;

// Minus q_i = 1 - l_i / tau + sigma z_i, so that the largest q come first.
std::vector<float> disturbed(const Stage& stage, const Probe& probe, double sigma) {
  std::vector<float> score(probe.rows());
  cross_entropy()(probe.logits(), probe.labels(), score, nullptr);
  const double tau =
      std::max(easiest(score, stage_rows(stage.share, probe.rows())).threshold, kLeastThreshold);
  Stream stream = probe.stream("spup", static_cast<std::uint64_t>(stage.index));
  for (float& value : score)
    value = static_cast<float>(static_cast<double>(value) / tau - 1.0 -
                               sigma * (1.0 - stage.share) * stream.normal());
  return score;
}

}  // namespace

std::unique_ptr<Method> disturbed_self_paced(const Settings& settings) {
  const double sigma = settings["sigma"];
  return paced({.loss = softmax_loss, .score = [sigma](const Stage& stage, const Probe& probe) {
                  return disturbed(stage, probe, sigma);
                }});
}

}  // namespace uaspl
