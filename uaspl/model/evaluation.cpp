// Computes scores of predictions, see evaluation.hpp.
#include "uaspl/model/evaluation.hpp"

#include <algorithm>

#include "uaspl/base/error.hpp"

namespace uaspl {

Evaluation evaluate(std::span<const int> truth, const Predictions& predictions,
                    std::size_t classes) {
  if (truth.empty()) throw Error("no rows to judge a model by");
  return {.metrics = score(truth, predictions.labels),
          .log_loss = log_loss(truth, predictions.probabilities),
          .classes = class_scores(truth, predictions.labels, classes),
          .confusion = confusion_matrix(truth, predictions.labels, classes),
          .rows = truth.size(),
          .unknown = static_cast<std::size_t>(std::ranges::count(truth, -1))};
}

}  // namespace uaspl
