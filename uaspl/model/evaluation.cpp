// Computes scores of predictions, see evaluation.hpp.
#include "uaspl/model/evaluation.hpp"

#include <algorithm>

#include "uaspl/base/error.hpp"

namespace uaspl {

Calibration calibration(std::span<const int> truth, const Predictions& predictions,
                        std::span<const double> weights) {
  const std::vector<float>& unsure =
      predictions.vacuity.empty() ? predictions.entropy : predictions.vacuity;
  return {.log_loss = log_loss(truth, predictions.probabilities, weights),
          .brier = brier_score(truth, predictions.probabilities, weights),
          .ece = calibration_error(truth, predictions.labels, predictions.probabilities, weights),
          .error_auroc = error_auroc(truth, predictions.labels, unsure, weights)};
}

namespace {

// Scales weights to 1 at most, so that no sum of them overflows.
std::vector<double> scaled(const std::vector<double>& weights, std::size_t rows) {
  if (!weights.empty() && weights.size() != rows)
    throw Error("another number of weights than of rows to judge a model by");
  std::vector<double> all = weights;
  if (all.empty()) return all;
  const double most = std::ranges::max(all);
  for (double& weight : all) weight /= most;
  return all;
}

void find_majority(std::span<const int> truth, std::span<const double> weights,
                   Evaluation& result) {
  std::vector<double> sums(result.classes.size());
  double all = 0.0;
  for (std::size_t i = 0; i < truth.size(); ++i) {
    const double weight = weights.empty() ? 1.0 : weights[i];
    all += weight;
    if (truth[i] >= 0) sums[static_cast<std::size_t>(truth[i])] += weight;
  }
  const auto most = std::ranges::max_element(sums);
  if (most == sums.end() || !(*most > 0.0)) return;
  result.majority_class = static_cast<std::size_t>(most - sums.begin());
  result.majority = *most / all;
}

}  // namespace

Evaluation evaluate(std::span<const int> truth, const Predictions& predictions, std::size_t classes,
                    const Judging& judging) {
  if (truth.empty()) throw Error("no rows to judge a model by");
  if (judging.costs && classes != 2) throw UsageError("costs of errors are for two classes");
  const std::vector<double> weights = scaled(judging.weights, truth.size());
  Evaluation result{.metrics = score(truth, predictions.labels, weights),
                    .calibration = calibration(truth, predictions, weights),
                    .balanced_accuracy = balanced_accuracy(truth, predictions.labels, weights),
                    .weighted = !weights.empty(),
                    .thresholds = std::nullopt,
                    .classes = class_scores(truth, predictions.labels, classes, weights),
                    .confusion = confusion_matrix(truth, predictions.labels),
                    .rows = truth.size(),
                    .unknown = static_cast<std::size_t>(std::ranges::count(truth, -1)),
                    .unanswered = static_cast<std::size_t>(
                        std::ranges::count(predictions.labels, Predictions::kNoAnswer))};
  result.log_loss = result.calibration.log_loss;
  find_majority(truth, weights, result);
  for (std::size_t k = 0; k < std::min(classes, predictions.probabilities.cols()); ++k) {
    const Ranking ranking = one_vs_rest(truth, predictions.probabilities, k, weights);
    result.classes[k].auroc = ranking.auroc;
    result.classes[k].average_precision = ranking.average_precision;
  }
  if (classes == 2 && predictions.probabilities.cols() == 2)
    result.thresholds =
        score_thresholds(truth, predictions.probabilities,
                         judging.positive.value_or(rarer_class(truth)), judging.costs, weights);
  return result;
}

}  // namespace uaspl
