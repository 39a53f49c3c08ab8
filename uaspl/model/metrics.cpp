// Computes scores of predictions, see metrics.hpp.
#include "uaspl/model/metrics.hpp"

#include <algorithm>
#include <cmath>

namespace uaspl {

namespace {

double ratio(double a, double b) { return b == 0.0 ? 0.0 : a / b; }

}  // namespace

Confusion confusion_matrix(std::span<const int> truth, std::span<const int> predicted,
                           std::size_t classes) {
  Confusion counts(classes, classes);
  for (std::size_t i = 0; i < truth.size(); ++i)
    if (truth[i] >= 0)
      ++counts(static_cast<std::size_t>(truth[i]), static_cast<std::size_t>(predicted[i]));
  return counts;
}

std::vector<ClassScore> class_scores(std::span<const int> truth, std::span<const int> predicted,
                                     std::size_t classes) {
  std::vector<ClassScore> scores(classes);
  std::vector<double> hits(classes);
  std::vector<double> guesses(classes);
  for (std::size_t i = 0; i < truth.size(); ++i) {
    guesses[static_cast<std::size_t>(predicted[i])] += 1.0;
    if (truth[i] < 0) continue;
    const auto k = static_cast<std::size_t>(truth[i]);
    ++scores[k].rows;
    if (truth[i] == predicted[i]) hits[k] += 1.0;
  }
  for (std::size_t k = 0; k < classes; ++k) {
    const auto rows = static_cast<double>(scores[k].rows);
    scores[k].precision = ratio(hits[k], guesses[k]);
    scores[k].recall = ratio(hits[k], rows);
    scores[k].f1 = ratio(2.0 * hits[k], rows + guesses[k]);
  }
  return scores;
}

double log_loss(std::span<const int> truth, const Matrix& probabilities) {
  double sum = 0.0;
  double rows = 0.0;
  for (std::size_t i = 0; i < truth.size(); ++i) {
    if (truth[i] < 0) continue;
    sum -= std::log(std::max(1e-15, double{probabilities(i, static_cast<std::size_t>(truth[i]))}));
    rows += 1.0;
  }
  return ratio(sum, rows);
}

Metrics score(std::span<const int> truth, std::span<const int> predicted) {
  assert(truth.size() == predicted.size() && !truth.empty());
  // Unknown classes count as one more class that is never predicted.
  const int unknown = std::max(std::ranges::max(truth), std::ranges::max(predicted)) + 1;
  std::vector<int> known(truth.begin(), truth.end());
  std::ranges::replace(known, -1, unknown);
  const auto classes = static_cast<std::size_t>(unknown) + 1;
  std::vector<bool> present(classes);
  double hits = 0.0;
  for (std::size_t i = 0; i < known.size(); ++i) {
    present[static_cast<std::size_t>(known[i])] = true;
    present[static_cast<std::size_t>(predicted[i])] = true;
    hits += known[i] == predicted[i] ? 1.0 : 0.0;
  }
  const std::vector<ClassScore> scores = class_scores(known, predicted, classes);
  const auto count = static_cast<double>(std::ranges::count(present, true));
  Metrics metrics;
  for (std::size_t k = 0; k < classes; ++k) {
    if (!present[k]) continue;
    metrics.precision += scores[k].precision;
    metrics.recall += scores[k].recall;
    metrics.f1 += scores[k].f1;
  }
  metrics.accuracy = hits / static_cast<double>(truth.size());
  metrics.precision /= count;
  metrics.recall /= count;
  metrics.f1 /= count;
  return metrics;
}

std::vector<int> predicted_classes(const Matrix& logits) {
  std::vector<int> classes(logits.rows());
  for (std::size_t i = 0; i < logits.rows(); ++i) classes[i] = predicted_class(logits.row(i));
  return classes;
}

int predicted_class(std::span<const float> logits) {
  const auto nan = std::ranges::find_if(logits, [](float x) { return std::isnan(x); });
  const auto best = nan != logits.end() ? nan : std::ranges::max_element(logits);
  return static_cast<int>(best - logits.begin());
}

}  // namespace uaspl
