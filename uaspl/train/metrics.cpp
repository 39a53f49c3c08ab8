// Scores of predictions, see metrics.hpp.
#include "uaspl/train/metrics.hpp"

#include <algorithm>
#include <cmath>

namespace uaspl {

Metrics score(std::span<const int> truth, std::span<const int> predicted) {
  assert(truth.size() == predicted.size() && !truth.empty());
  struct Counts {
    double hits = 0;
    double true_rows = 0;
    double predicted_rows = 0;
  };
  const int top = std::max(std::ranges::max(truth), std::ranges::max(predicted));
  std::vector<Counts> classes(static_cast<std::size_t>(top) + 1);
  for (std::size_t i = 0; i < truth.size(); ++i) {
    classes[static_cast<std::size_t>(truth[i])].true_rows += 1;
    classes[static_cast<std::size_t>(predicted[i])].predicted_rows += 1;
    if (truth[i] == predicted[i]) classes[static_cast<std::size_t>(truth[i])].hits += 1;
  }

  const auto ratio = [](double a, double b) { return b == 0.0 ? 0.0 : a / b; };
  Metrics metrics;
  double present = 0;
  double hits = 0;
  for (const Counts& c : classes) {
    if (c.true_rows + c.predicted_rows == 0.0) continue;
    present += 1;
    hits += c.hits;
    metrics.precision += ratio(c.hits, c.predicted_rows);
    metrics.recall += ratio(c.hits, c.true_rows);
    metrics.f1 += ratio(2.0 * c.hits, c.true_rows + c.predicted_rows);
  }
  metrics.accuracy = hits / static_cast<double>(truth.size());
  metrics.precision /= present;
  metrics.recall /= present;
  metrics.f1 /= present;
  return metrics;
}

std::vector<int> predicted_classes(const Matrix& logits) {
  std::vector<int> classes(logits.rows());
  for (std::size_t i = 0; i < logits.rows(); ++i) {
    const auto row = logits.row(i);
    const auto nan = std::ranges::find_if(row, [](float x) { return std::isnan(x); });
    const auto best = nan != row.end() ? nan : std::ranges::max_element(row);
    classes[i] = static_cast<int>(best - row.begin());
  }
  return classes;
}

}  // namespace uaspl
