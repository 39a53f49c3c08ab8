// Computes scores of predictions, see evaluation.hpp.
#include "uaspl/model/evaluation.hpp"

#include <algorithm>

#include "uaspl/base/error.hpp"

namespace uaspl {

Calibration calibration(std::span<const int> truth, const Predictions& predictions) {
  const std::vector<float>& unsure =
      predictions.vacuity.empty() ? predictions.entropy : predictions.vacuity;
  return {.log_loss = log_loss(truth, predictions.probabilities),
          .brier = brier_score(truth, predictions.probabilities),
          .ece = calibration_error(truth, predictions.labels, predictions.probabilities),
          .error_auroc = error_auroc(truth, predictions.labels, unsure)};
}

Evaluation evaluate(std::span<const int> truth, const Predictions& predictions,
                    std::size_t classes) {
  if (truth.empty()) throw Error("no rows to judge a model by");
  return {.metrics = score(truth, predictions.labels),
          .log_loss = log_loss(truth, predictions.probabilities),
          .classes = class_scores(truth, predictions.labels, classes),
          .confusion = confusion_matrix(truth, predictions.labels),
          .rows = truth.size(),
          .unknown = static_cast<std::size_t>(std::ranges::count(truth, -1)),
          .unanswered = static_cast<std::size_t>(
              std::ranges::count(predictions.labels, Predictions::kNoAnswer))};
}

}  // namespace uaspl
