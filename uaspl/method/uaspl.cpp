// Uncertainty-aware self-paced learning and its ablations: score and loss are the evidential loss
// whose divergence is weighted by u if the row is classified correctly and by 1-u if it is not
// (ablations: by a constant, or by a weight that grows with the stages).
#include "uaspl/method/uaspl.hpp"

#include <algorithm>

#include "uaspl/loss/evidential.hpp"
#include "uaspl/method/recipes.hpp"

namespace uaspl {

Evidence evidence_option(const Settings& settings) {
  return kEvidences[static_cast<std::size_t>(settings["evidence"])];
}

StageLoss uaspl_loss(const Settings& settings) {
  const EvidentialTerms terms{.evidence = evidence_option(settings), .kl_scale = settings["beta"]};
  return [terms](const Stage&) { return evidential_loss(terms); };
}

namespace {

// Shifts and scales values to 0..1.
void normalise(std::span<float> values) {
  if (values.empty()) return;
  const auto [low, high] = std::ranges::minmax(values);
  for (float& x : values) x = (x - low) / (high - low + 1e-8F);
}

}  // namespace

std::vector<float> hybrid_scores(std::span<const float> losses, std::span<const float> vacuities,
                                 float turn) {
  std::vector<float> scores(losses.begin(), losses.end());
  std::vector<float> certainty(vacuities.begin(), vacuities.end());
  for (float& u : certainty) u = std::clamp(1.0F - u, 0.0F, 1.0F);
  normalise(scores);
  normalise(certainty);
  for (std::size_t i = 0; i < scores.size(); ++i)
    scores[i] = (1.0F - turn) * scores[i] + turn * certainty[i];
  return scores;
}

std::unique_ptr<Method> make_uaspl(Divergence divergence, Weights weights,
                                   const Settings& settings) {
  const Regulariser weight = regulariser(weights, settings);
  if (divergence == Divergence::kAdaptive)
    return paced({.loss = uaspl_loss(settings), .regulariser = weight});
  const EvidentialTerms terms{.evidence = evidence_option(settings),
                              .coefficient = Coefficient::kOne};
  const auto loss = [terms, divergence](const Stage& stage) {
    EvidentialTerms now = terms;
    if (divergence == Divergence::kGrowing)
      now.kl_scale = static_cast<double>(stage.index + 1) / stage.count;  // beta_t = (t+1)/T
    return evidential_loss(now);
  };
  return paced({.loss = loss, .regulariser = weight});
}

// The form of the image experiments: the divergence scaled by a factor that moves with the stages,
// a pull on negative target logits, and a score that turns from the loss to the certainty.
std::unique_ptr<Method> make_uaspl_hybrid(const Settings& settings) {
  const EvidentialTerms terms{.evidence = evidence_option(settings),
                              .correct_evidence = settings["kappa"]};
  const double first = settings["beta_first"];
  const double last = settings["beta_last"];
  const auto loss = [=](const Stage& stage) {
    EvidentialTerms now = terms;
    const double done =
        stage.count < 2 ? 0.0 : static_cast<double>(stage.index) / (stage.count - 1);
    now.kl_scale = first + (last - first) * done;
    return evidential_loss(now);
  };
  const auto score = [=](const Stage& stage, const Probe& probe) {
    return hybrid_scores(probe.losses(loss(stage)), vacuity(probe.logits(), terms.evidence),
                         static_cast<float>(stage.index + 1) / static_cast<float>(stage.count));
  };
  return paced({.loss = loss, .score = score});
}

// The form for many and rare classes: the expected cross-entropy, whose gradient does not vanish
// where evidence is missing, a divergence whose weight does not grow with the number of classes,
// and the easiest rows of each class, so that none is left out.
std::unique_ptr<Method> make_uaspl_ce(const Settings& settings) {
  const EvidentialTerms terms{.evidence = evidence_option(settings),
                              .emse_scale = 0.0,
                              .ce_scale = 1.0,
                              .kl_scale = settings["beta"],
                              .kl_by_classes = true,
                              .coefficient = Coefficient::kAdaptiveConstant};
  const auto loss = [terms](const Stage&) { return evidential_loss(terms); };
  const auto score = [=](const Stage& stage, const Probe& probe) {
    std::vector<float> scores = probe.losses(loss(stage));
    const std::vector<float> u = vacuity(probe.logits(), terms.evidence);
    for (std::size_t i = 0; i < scores.size(); ++i) scores[i] += u[i];
    return scores;
  };
  return paced({.loss = loss, .score = score, .take = Selection::kEasiestOfEachClass});
}

}  // namespace uaspl
