// Computes scores of predictions, see metrics.hpp.
#include "uaspl/model/metrics.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <utility>

namespace uaspl {

namespace {

constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();

bool is_known(int truth, const Matrix& probabilities) {
  return truth >= 0 && std::cmp_less(truth, probabilities.cols());
}

double ratio(double a, double b) { return b == 0.0 ? 0.0 : a / b; }

}  // namespace

Confusion confusion_matrix(std::span<const int> truth, std::span<const int> predicted) {
  Confusion counts;
  for (std::size_t i = 0; i < truth.size(); ++i)
    if (truth[i] >= 0 && predicted[i] >= 0)
      counts.add(static_cast<std::size_t>(truth[i]), static_cast<std::size_t>(predicted[i]));
  return counts;
}

std::vector<ClassScore> class_scores(std::span<const int> truth, std::span<const int> predicted,
                                     std::size_t classes) {
  std::vector<ClassScore> scores(classes);
  std::vector<double> hits(classes);
  std::vector<double> guesses(classes);
  for (std::size_t i = 0; i < truth.size(); ++i) {
    if (predicted[i] >= 0) guesses[static_cast<std::size_t>(predicted[i])] += 1.0;
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
    if (!is_known(truth[i], probabilities)) continue;
    const double p = probabilities(i, static_cast<std::size_t>(truth[i]));
    sum -= std::log(p < 1e-15 ? 1e-15 : p);  // keeps a NaN
    rows += 1.0;
  }
  return rows > 0.0 ? sum / rows : kNothing;
}

double brier_score(std::span<const int> truth, const Matrix& probabilities) {
  double sum = 0.0;
  double rows = 0.0;
  for (std::size_t i = 0; i < truth.size(); ++i) {
    if (!is_known(truth[i], probabilities)) continue;
    for (std::size_t k = 0; k < probabilities.cols(); ++k) {
      const double difference =
          double{probabilities(i, k)} - (std::cmp_equal(truth[i], k) ? 1.0 : 0.0);
      sum += difference * difference;
    }
    rows += 1.0;
  }
  return rows > 0.0 ? sum / rows : kNothing;
}

double calibration_error(std::span<const int> truth, std::span<const int> predicted,
                         const Matrix& probabilities) {
  constexpr std::size_t kBins = 15;
  std::array<double, kBins> excess{};  // of probability over right predictions
  for (std::size_t i = 0; i < truth.size(); ++i) {
    const auto row = probabilities.row(i);
    if (std::ranges::any_of(row, [](float p) { return std::isnan(p); })) return kNothing;
    const double top = std::ranges::max(row);
    const auto bin = static_cast<std::size_t>(std::clamp(top, 0.0, 1.0) * kBins);
    excess[std::min(bin, kBins - 1)] += top - (truth[i] == predicted[i] ? 1.0 : 0.0);
  }
  double sum = 0.0;
  for (const double one : excess) sum += std::abs(one);
  return truth.empty() ? kNothing : sum / static_cast<double>(truth.size());
}

double error_auroc(std::span<const int> truth, std::span<const int> predicted,
                   std::span<const float> uncertainties) {
  if (std::ranges::any_of(uncertainties, [](float u) { return std::isnan(u); })) return kNothing;
  std::vector<std::size_t> order(truth.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) { return uncertainties[i]; });
  double wins = 0.0;   // pairs of a wrong row and a less uncertain right one
  double right = 0.0;  // among the rows before
  double wrong = 0.0;
  for (std::size_t first = 0; first < order.size();) {
    double tied_right = 0.0;
    double tied_wrong = 0.0;
    std::size_t last = first;
    for (; last < order.size() && uncertainties[order[last]] == uncertainties[order[first]]; ++last)
      (truth[order[last]] == predicted[order[last]] ? tied_right : tied_wrong) += 1.0;
    wins += tied_wrong * (right + tied_right / 2.0);
    right += tied_right;
    wrong += tied_wrong;
    first = last;
  }
  return right > 0.0 && wrong > 0.0 ? wins / (right * wrong) : kNothing;
}

double majority_share(std::span<const int> truth) {
  std::map<int, std::size_t> counts;
  std::size_t most = 0;
  for (const int label : truth) most = std::max(most, ++counts[label]);
  return truth.empty() ? kNothing : static_cast<double>(most) / static_cast<double>(truth.size());
}

std::size_t count_classes(std::span<const int> labels) {
  return std::set<int>(labels.begin(), labels.end()).size();
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
    if (predicted[i] >= 0) present[static_cast<std::size_t>(predicted[i])] = true;
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
