// Self-paced learning with diversity (Jiang et al. 2014b), and UASPL with it: of rows that are
// alike, the first have an advantage, so that a stage takes easy rows of many kinds.
#include "uaspl/method/spld.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "uaspl/method/k_means.hpp"
#include "uaspl/method/recipes.hpp"

namespace uaspl {

std::vector<float> diverse_scores(std::span<const float> losses, std::span<const int> groups,
                                  double gamma) {
  const auto value = [&](int i) {  // what is not a number is hardest
    const float loss = losses[static_cast<std::size_t>(i)];
    return std::isnan(loss) ? std::numeric_limits<float>::infinity() : loss;
  };
  std::vector<int> order(losses.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {}, value);
  std::vector<int> seen(groups.empty() ? 0
                                       : static_cast<std::size_t>(std::ranges::max(groups)) + 1);
  std::vector<float> scores(losses.begin(), losses.end());
  for (const int i : order) {
    const auto row = static_cast<std::size_t>(i);
    const double rank = ++seen[static_cast<std::size_t>(groups[row])];
    const double advantage = gamma / (std::sqrt(rank) + std::sqrt(rank - 1.0));
    scores[row] = static_cast<float>(static_cast<double>(losses[row]) - advantage);
  }
  return scores;
}

namespace {

constexpr int kMostGroups = 50;

// Rows that are alike are those of one cluster of the features that the pre-trained network has (or
// of the inputs): sqrt(n / 2) clusters, at most 50.
std::vector<int> clusters(const Probe& probe) {
  const auto kept = probe.once("k-means", 1, [&] {
    const auto groups = std::clamp<std::size_t>(
        static_cast<std::size_t>(std::sqrt(static_cast<double>(probe.rows()) / 2.0)), 1,
        static_cast<std::size_t>(kMostGroups));
    const std::vector<int> found = k_means(probe.features(), groups, probe.stream("k-means"));
    DoubleMatrix table(found.size(), 1);
    std::ranges::copy(found, table.values().begin());
    return table;
  });
  std::vector<int> groups;
  for (const double group : kept->values()) {
    groups.push_back(SavedState::as<int>(group));
    if (groups.back() < 0 || groups.back() >= kMostGroups)  // they may come from a checkpoint
      throw Error("saved state: a group that is not there");
  }
  return groups;
}

std::vector<int> clusters_of_classes(const Probe& probe) {
  std::vector<int> groups = clusters(probe);
  for (std::size_t i = 0; i < groups.size(); ++i)
    groups[i] = groups[i] * static_cast<int>(probe.classes()) + probe.labels()[i];
  return groups;
}

// gamma is a multiple of the mean loss, which the few hardest rows raise: a threshold among the
// easy ones would be too small for their advantage to count.
std::unique_ptr<Method> diverse(StageLoss loss, std::vector<int> (*groups)(const Probe&),
                                double gamma) {
  const auto score = [=](const Stage& stage, const Probe& probe) {
    const std::vector<float> losses = probe.losses(loss(stage));
    const double mean =
        std::accumulate(losses.begin(), losses.end(), 0.0) / static_cast<double>(losses.size());
    return diverse_scores(losses, groups(probe), std::isfinite(mean) ? gamma * mean : 0.0);
  };
  return paced({.loss = std::move(loss), .score = score, .needs = {.network = {.features = true}}});
}

}  // namespace

std::unique_ptr<Method> make_spld(const Settings& settings) {
  return diverse(softmax_loss, clusters, settings["gamma"]);
}

std::unique_ptr<Method> make_uaspl_diverse(const Settings& settings) {
  return diverse(uaspl_loss(settings), clusters_of_classes, settings["gamma"]);
}

}  // namespace uaspl
