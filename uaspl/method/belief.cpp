// CLU and WSPLBF (Zhang et al. 2024): selection within each class by the ambiguity of belief
// masses, WSPLBF more and more by the loss, and with weights from the belief in the label.
#include "uaspl/method/belief.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "uaspl/method/ecm.hpp"
#include "uaspl/method/eknn.hpp"
#include "uaspl/method/recipes.hpp"

namespace uaspl {
namespace {

// Computes or finds the class probabilities of all training rows.
using Beliefs = std::function<std::shared_ptr<const DoubleMatrix>(const Probe&)>;

Beliefs beliefs(Masses masses, const Settings& settings) {
  if (masses == Masses::kEknn) {
    const Eknn options{.neighbours = static_cast<std::size_t>(settings["neighbours"])};
    return [options](const Probe& probe) {
      return probe.once(fmt::format("eknn {}", options.neighbours), [&] {
        return eknn_pignistic(
            eknn_masses(probe.features(), probe.labels(), probe.classes(), options));
      });
    };
  }
  const Ecm options{.tune = settings["centres"] == 1.0};
  return [options](const Probe& probe) {
    return probe.once(options.tune ? "ecm tuned" : "ecm", [&] {
      return ecm_pignistic(probe.features(), probe.labels(), probe.classes(), options);
    });
  };
}

// Weight of the ambiguity against the loss: from 1 in the first stage to 0 in the last.
double trust_in_ambiguity(const Stage& stage, double power) {
  if (stage.count < 2) return 1.0;
  return std::pow(1.0 - static_cast<double>(stage.index) / (stage.count - 1), power);
}

std::vector<float> mixed_score(const Probe& probe, const DoubleMatrix& belief, double trust) {
  const std::vector<double> unsure = ambiguity(belief, probe.labels());
  std::vector<float> loss(probe.rows());
  cross_entropy()(probe.logits(), probe.labels(), loss, nullptr);
  const double highest = loss.empty() ? 0.0 : std::ranges::max(loss);
  std::vector<float> score(loss.size());
  for (std::size_t i = 0; i < score.size(); ++i) {
    const double relative = highest > 0.0 ? static_cast<double>(loss[i]) / highest : 0.0;
    score[i] = static_cast<float>((1.0 - trust) * relative + trust * unsure[i]);
  }
  return score;
}

}  // namespace

std::vector<double> ambiguity(const DoubleMatrix& probabilities, std::span<const int> labels) {
  std::vector<double> entropy(probabilities.rows());
  for (std::size_t i = 0; i < entropy.size(); ++i)
    for (const double p : probabilities.row(i))
      if (p > 0.0) entropy[i] -= p * std::log2(p);
  const double highest = entropy.empty() ? 0.0 : std::ranges::max(entropy);
  if (!(highest > 0.0)) return entropy;
  for (std::size_t i = 0; i < entropy.size(); ++i) {
    const auto p = probabilities.row(i);
    const auto likeliest = std::ranges::max_element(p) - p.begin();
    entropy[i] = likeliest == labels[i] ? entropy[i] / highest : 1.0;
  }
  return entropy;
}

std::unique_ptr<Method> uncertainty_first(Masses masses, const Settings& settings) {
  const Beliefs belief = beliefs(masses, settings);
  return paced(
      {.loss = softmax_loss,
       .score = [belief](const Stage&,
                         const Probe& probe) { return mixed_score(probe, *belief(probe), 1.0); },
       .take = Take::kEasiestOfEachClass,
       .needs = {.network = {.features = true}}});
}

std::unique_ptr<Method> belief_weighted(Masses masses, const Settings& settings) {
  const Beliefs belief = beliefs(masses, settings);
  const double power = settings["psi"];
  const double weight_power = settings["g"];
  const auto score = [belief, power](const Stage& stage, const Probe& probe) {
    return mixed_score(probe, *belief(probe), trust_in_ambiguity(stage, power));
  };
  const auto weights = [belief, weight_power](const Probe& probe) {
    const auto p = belief(probe);
    std::vector<float> factor(probe.rows());
    for (std::size_t i = 0; i < factor.size(); ++i) {
      const auto label = static_cast<std::size_t>(probe.labels()[i]);
      factor[i] = static_cast<float>(std::pow((*p)(i, label), weight_power));
    }
    return factor;
  };
  return paced({.loss = softmax_loss,
                .score = score,
                .take = Take::kEasiestOfEachClass,
                .weights = weights,
                .needs = {.network = {.features = true}}});
}

}  // namespace uaspl
