// Evidential deep learning without self-pacing: all rows, and a divergence whose factor grows from
// 0 to 1 over the first tenth of all passes.
#include "uaspl/loss/edl.hpp"

#include <algorithm>

#include "uaspl/loss/evidential.hpp"
#include "uaspl/method/recipes.hpp"

namespace uaspl {
namespace {

// Returns min(1, passes before this one / a tenth of all).
double annealed(const Stage& stage, int pass) {
  const double tenth = static_cast<double>(stage.count) * stage.passes / 10.0;
  const double done = static_cast<double>(stage.index) * stage.passes + pass;
  return tenth > 0.0 ? std::min(1.0, done / tenth) : 1.0;
}

using ScaledLoss = std::function<Loss(double kl_scale)>;

std::unique_ptr<Method> by_evidence(const ScaledLoss& loss) {
  return paced({.loss = [loss](const Stage& stage) { return loss(annealed(stage, 0)); },
                .take = Selection::kAll,
                .loss_of_pass = [loss](const Stage& stage,
                                       int pass) { return loss(annealed(stage, pass)); }});
}

}  // namespace

std::unique_ptr<Method> make_edl(const Settings& settings) {
  const Evidence evidence = evidence_option(settings);
  return by_evidence([=](double kl_scale) {
    return evidential_loss(
        {.evidence = evidence, .kl_scale = kl_scale, .coefficient = Coefficient::kOne});
  });
}

std::unique_ptr<Method> make_edl_ce(const Settings& settings) {
  const Evidence evidence = evidence_option(settings);
  return by_evidence([=](double kl_scale) { return edl_cross_entropy(evidence, kl_scale); });
}

std::unique_ptr<Method> make_r_edl(const Settings& settings) {
  const Evidence evidence = evidence_option(settings);
  const double prior = settings["prior"];
  return by_evidence([=](double kl_scale) { return relaxed_edl(evidence, prior, kl_scale); });
}

std::unique_ptr<Method> make_i_edl(const Settings& settings) {
  const Evidence evidence = evidence_option(settings);
  const double c = settings["c"];
  return by_evidence([=](double kl_scale) { return information_edl(evidence, c, kl_scale); });
}

}  // namespace uaspl
