// Computes scores of predictions, see metrics.hpp.
#include "uaspl/model/metrics.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
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

double weight_of(std::span<const double> weights, std::size_t row) {
  return weights.empty() ? 1.0 : weights[row];
}

// Returns the likeliest class: the prediction, unless a threshold chose another one.
int likeliest(std::span<const float> probabilities, int predicted) {
  const auto top = std::ranges::max_element(probabilities);
  if (predicted >= 0 && probabilities[static_cast<std::size_t>(predicted)] >= *top)
    return predicted;
  return static_cast<int>(top - probabilities.begin());
}

}  // namespace

Confusion confusion_matrix(std::span<const int> truth, std::span<const int> predicted) {
  Confusion counts;
  for (std::size_t i = 0; i < truth.size(); ++i)
    if (truth[i] >= 0 && predicted[i] >= 0)
      counts.add(static_cast<std::size_t>(truth[i]), static_cast<std::size_t>(predicted[i]));
  return counts;
}

std::vector<ClassScore> class_scores(std::span<const int> truth, std::span<const int> predicted,
                                     std::size_t classes, std::span<const double> weights) {
  std::vector<ClassScore> scores(classes);
  std::vector<double> rows(classes);
  std::vector<double> hits(classes);
  std::vector<double> guesses(classes);
  for (std::size_t i = 0; i < truth.size(); ++i) {
    const double weight = weight_of(weights, i);
    if (predicted[i] >= 0) guesses[static_cast<std::size_t>(predicted[i])] += weight;
    if (truth[i] < 0) continue;
    const auto k = static_cast<std::size_t>(truth[i]);
    ++scores[k].rows;
    rows[k] += weight;
    if (truth[i] == predicted[i]) hits[k] += weight;
  }
  for (std::size_t k = 0; k < classes; ++k) {
    scores[k].precision = ratio(hits[k], guesses[k]);
    scores[k].recall = ratio(hits[k], rows[k]);
    scores[k].f1 = ratio(2.0 * hits[k], rows[k] + guesses[k]);
  }
  return scores;
}

double log_loss(std::span<const int> truth, const Matrix& probabilities,
                std::span<const double> weights) {
  double sum = 0.0;
  double rows = 0.0;
  for (std::size_t i = 0; i < truth.size(); ++i) {
    if (!is_known(truth[i], probabilities)) continue;
    const double p = probabilities(i, static_cast<std::size_t>(truth[i]));
    const double weight = weight_of(weights, i);
    sum -= weight * std::log(p < 1e-15 ? 1e-15 : p);  // keeps a NaN
    rows += weight;
  }
  return rows > 0.0 ? sum / rows : kNothing;
}

double brier_score(std::span<const int> truth, const Matrix& probabilities,
                   std::span<const double> weights) {
  double sum = 0.0;
  double rows = 0.0;
  for (std::size_t i = 0; i < truth.size(); ++i) {
    if (!is_known(truth[i], probabilities)) continue;
    const double weight = weight_of(weights, i);
    for (std::size_t k = 0; k < probabilities.cols(); ++k) {
      const double difference =
          double{probabilities(i, k)} - (std::cmp_equal(truth[i], k) ? 1.0 : 0.0);
      sum += weight * (difference * difference);
    }
    rows += weight;
  }
  return rows > 0.0 ? sum / rows : kNothing;
}

double calibration_error(std::span<const int> truth, std::span<const int> predicted,
                         const Matrix& probabilities, std::span<const double> weights) {
  constexpr std::size_t kBins = 15;
  std::array<double, kBins> excess{};  // of probability over right predictions
  double rows = 0.0;
  for (std::size_t i = 0; i < truth.size(); ++i) {
    const auto row = probabilities.row(i);
    if (std::ranges::any_of(row, [](float p) { return std::isnan(p); })) return kNothing;
    const double top = std::ranges::max(row);
    const auto bin = static_cast<std::size_t>(std::clamp(top, 0.0, 1.0) * kBins);
    const double weight = weight_of(weights, i);
    const int answer = likeliest(row, predicted[i]);
    excess[std::min(bin, kBins - 1)] += weight * (top - (truth[i] == answer ? 1.0 : 0.0));
    rows += weight;
  }
  double sum = 0.0;
  for (const double one : excess) sum += std::abs(one);
  return rows > 0.0 ? sum / rows : kNothing;
}

double error_auroc(std::span<const int> truth, std::span<const int> predicted,
                   std::span<const float> uncertainties, std::span<const double> weights) {
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
      (truth[order[last]] == predicted[order[last]] ? tied_right : tied_wrong) +=
          weight_of(weights, order[last]);
    wins += tied_wrong * (right + tied_right / 2.0);
    right += tied_right;
    wrong += tied_wrong;
    first = last;
  }
  return right > 0.0 && wrong > 0.0 ? wins / (right * wrong) : kNothing;
}

double majority_share(std::span<const int> truth, std::span<const double> weights) {
  std::map<int, double> sums;
  double most = 0.0;
  double all = 0.0;
  for (std::size_t i = 0; i < truth.size(); ++i) {
    all += weight_of(weights, i);
    most = std::max(most, sums[truth[i]] += weight_of(weights, i));
  }
  return truth.empty() ? kNothing : most / all;
}

std::size_t count_classes(std::span<const int> labels) {
  return std::set<int>(labels.begin(), labels.end()).size();
}

Metrics score(std::span<const int> truth, std::span<const int> predicted,
              std::span<const double> weights) {
  assert(truth.size() == predicted.size() && !truth.empty());
  // Unknown classes count as one more class that is never predicted.
  const int unknown = std::max(std::ranges::max(truth), std::ranges::max(predicted)) + 1;
  std::vector<int> known(truth.begin(), truth.end());
  std::ranges::replace(known, -1, unknown);
  const auto classes = static_cast<std::size_t>(unknown) + 1;
  std::vector<bool> present(classes);
  double hits = 0.0;
  double rows = 0.0;
  for (std::size_t i = 0; i < known.size(); ++i) {
    present[static_cast<std::size_t>(known[i])] = true;
    if (predicted[i] >= 0) present[static_cast<std::size_t>(predicted[i])] = true;
    rows += weight_of(weights, i);
    if (known[i] == predicted[i]) hits += weight_of(weights, i);
  }
  const std::vector<ClassScore> scores = class_scores(known, predicted, classes, weights);
  const auto count = static_cast<double>(std::ranges::count(present, true));
  Metrics metrics;
  for (std::size_t k = 0; k < classes; ++k) {
    if (!present[k]) continue;
    metrics.precision += scores[k].precision;
    metrics.recall += scores[k].recall;
    metrics.f1 += scores[k].f1;
  }
  metrics.accuracy = hits / rows;
  metrics.precision /= count;
  metrics.recall /= count;
  metrics.f1 /= count;
  return metrics;
}

double balanced_accuracy(std::span<const int> truth, std::span<const int> predicted,
                         std::span<const double> weights) {
  std::map<int, std::pair<double, double>> classes;  // weights of the rows, and of those found
  for (std::size_t i = 0; i < truth.size(); ++i) {
    auto& [rows, found] = classes[truth[i]];
    rows += weight_of(weights, i);
    if (truth[i] >= 0 && truth[i] == predicted[i]) found += weight_of(weights, i);
  }
  double sum = 0.0;
  for (const auto& [label, one] : classes) sum += one.second / one.first;
  return classes.empty() ? kNothing : sum / static_cast<double>(classes.size());
}

// Goes from the most probable rows to the least; ties are taken in together.
Ranking one_vs_rest(std::span<const int> truth, const Matrix& probabilities, std::size_t k,
                    std::span<const double> weights) {
  const auto probability = [&](std::size_t i) { return probabilities(i, k); };
  std::vector<std::size_t> order(truth.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (std::ranges::any_of(order, [&](std::size_t i) { return std::isnan(probability(i)); }))
    return {kNothing, kNothing};
  std::ranges::sort(order, std::greater<>(), probability);
  double inside = 0.0;  // weight of the class's rows so far
  double others = 0.0;
  double wins = 0.0;  // pairs of a row of the class and a less probable other one
  double precisions = 0.0;
  for (std::size_t first = 0; first < order.size();) {
    double tied_inside = 0.0;
    double tied_others = 0.0;
    std::size_t last = first;
    for (; last < order.size() && probability(order[last]) == probability(order[first]); ++last)
      (std::cmp_equal(truth[order[last]], k) ? tied_inside : tied_others) +=
          weight_of(weights, order[last]);
    wins += tied_others * (inside + tied_inside / 2.0);
    inside += tied_inside;
    others += tied_others;
    precisions += tied_inside * (inside / (inside + others));
    first = last;
  }
  return {inside > 0.0 && others > 0.0 ? wins / (inside * others) : kNothing,
          inside > 0.0 ? precisions / inside : kNothing};
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
