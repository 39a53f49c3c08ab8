// SPL_SPUP (Guo et al. 2018): self-paced learning whose choice of rows is disturbed by a noise that
// fades with the stages.
#include "uaspl/method/spup.hpp"

#include <algorithm>

#include "uaspl/method/recipes.hpp"

namespace uaspl {

std::vector<float> disturbed_scores(std::span<const float> losses, std::size_t count, double sigma,
                                    Stream stream) {
  const double tau = std::max(easiest(losses, count).threshold, kTinyThreshold);
  std::vector<float> scores;
  for (const float loss : losses)
    scores.push_back(
        static_cast<float>(static_cast<double>(loss) / tau - 1.0 - sigma * stream.normal()));
  return scores;
}

std::unique_ptr<Method> make_spl_spup(const Settings& settings) {
  const double sigma = settings["sigma"];
  return paced({.loss = softmax_loss, .score = [sigma](const Stage& stage, const Probe& probe) {
                  return disturbed_scores(
                      probe.losses(softmax_loss(stage)), stage_rows(stage.share, probe.rows()),
                      sigma * (1.0 - stage.share),
                      probe.stream("spup", static_cast<std::uint64_t>(stage.index)));
                }});
}

}  // namespace uaspl
