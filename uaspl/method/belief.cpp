// CLU and WSPLBF (Zhang et al. 2024): selection within each class by the ambiguity of belief
// masses, in WSPLBF more and more by the loss, and with weights from the belief in the label.
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
      return probe.once(fmt::format("eknn {}", options.neighbours), probe.classes(), [&] {
        return eknn_pignistic(
            eknn_masses(probe.features(), probe.labels(), probe.classes(), options));
      });
    };
  }
  const Ecm options{.tune = settings["centres"] == 1.0};
  return [options](const Probe& probe) {
    return probe.once(options.tune ? "ecm tuned" : "ecm", probe.classes(), [&] {
      return ecm_pignistic(probe.features(), probe.labels(), probe.classes(), options);
    });
  };
}

}  // namespace

std::vector<double> ambiguity(const DoubleMatrix& probabilities, std::span<const int> labels) {
  std::vector<double> entropy(probabilities.rows());
  for (std::size_t i = 0; i < entropy.size(); ++i)
    for (const double p : probabilities.row(i))
      if (p != 0.0) entropy[i] -= p * std::log2(p);
  double highest = 0.0;
  for (const double h : entropy) highest = std::max(highest, h);  // ignores NaN
  for (std::size_t i = 0; i < entropy.size(); ++i) {
    const auto p = probabilities.row(i);
    const auto likeliest = std::ranges::max_element(p) - p.begin();
    const bool clear = likeliest == labels[i] && !std::isnan(entropy[i]);
    entropy[i] = !clear ? 1.0 : highest > 0.0 ? entropy[i] / highest : 0.0;
  }
  return entropy;
}

double trust_in_ambiguity(const Stage& stage, double power) {
  if (stage.count < 2) return 1.0;
  return std::pow(1.0 - static_cast<double>(stage.index) / (stage.count - 1), power);
}

std::vector<float> belief_scores(std::span<const double> ambiguity, std::span<const float> losses,
                                 double trust) {
  const double highest = losses.empty() ? 0.0 : std::ranges::max(losses);
  std::vector<float> scores(losses.size());
  for (std::size_t i = 0; i < scores.size(); ++i) {
    const double relative = highest > 0.0 ? static_cast<double>(losses[i]) / highest : 0.0;
    scores[i] = static_cast<float>((1.0 - trust) * relative + trust * ambiguity[i]);
  }
  return scores;
}

std::vector<float> belief_weights(const DoubleMatrix& probabilities, std::span<const int> labels,
                                  double power) {
  std::vector<float> weights(labels.size());
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const double p = probabilities(i, static_cast<std::size_t>(labels[i]));
    weights[i] = static_cast<float>(std::pow(p, power));
  }
  return weights;
}

std::unique_ptr<Method> make_clu(Masses masses, const Settings& settings) {
  const Beliefs belief = beliefs(masses, settings);
  return paced({.loss = softmax_loss,
                .score =
                    [belief](const Stage&, const Probe& probe) {
                      const std::vector<double> unsure = ambiguity(*belief(probe), probe.labels());
                      return std::vector<float>(unsure.begin(), unsure.end());
                    },
                .take = Selection::kEasiestOfEachClass,
                .needs = {.network = {.features = true}}});
}

std::unique_ptr<Method> make_wsplbf(Masses masses, const Settings& settings) {
  const Beliefs belief = beliefs(masses, settings);
  const double psi = settings["psi"];
  const double g = settings["g"];
  return paced({.loss = softmax_loss,
                .score =
                    [belief, psi](const Stage& stage, const Probe& probe) {
                      return belief_scores(ambiguity(*belief(probe), probe.labels()),
                                           probe.losses(softmax_loss(stage)),
                                           trust_in_ambiguity(stage, psi));
                    },
                .take = Selection::kEasiestOfEachClass,
                .weights =
                    [belief, g](const Probe& probe) {
                      return belief_weights(*belief(probe), probe.labels(), g);
                    },
                .needs = {.network = {.features = true}}});
}

}  // namespace uaspl
