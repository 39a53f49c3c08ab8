// Thresholds of two classes, see thresholds.hpp.
#include "uaspl/model/thresholds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <utility>

#include "uaspl/base/error.hpp"
#include "uaspl/base/text.hpp"
#include "uaspl/data/table/parse_number.hpp"

namespace uaspl {
namespace {

constexpr double kShown[] = {0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95};
constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();

double divide(double a, double b) { return b > 0.0 ? a / b : kNothing; }

// Sums of the weights of rows.
struct Counts {
  double positive = 0.0;
  double negative = 0.0;
  void add(bool is_positive, double weight) { (is_positive ? positive : negative) += weight; }
  double all() const { return positive + negative; }
};

ThresholdScore scored(double threshold, const Counts& flagged, const Counts& all,
                      const std::optional<Costs>& costs) {
  ThresholdScore score{.threshold = threshold,
                       .precision = divide(flagged.positive, flagged.all()),
                       .recall = divide(flagged.positive, all.positive),
                       .flagged = divide(flagged.all(), all.all()),
                       .cost = std::nullopt};
  if (costs)
    score.cost = divide(costs->false_positive * flagged.negative +
                            costs->false_negative * (all.positive - flagged.positive),
                        all.all());
  return score;
}

// The rows as what thresholds look at: from the highest probability to the lowest, then those
// without an answer.
class RankedRows {
 public:
  RankedRows(std::span<const int> truth, const Matrix& probabilities, std::size_t positive,
             std::span<const double> weights)
      : truth_(truth), probabilities_(probabilities), positive_(positive), weights_(weights) {
    order_.resize(truth.size());
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    const auto unanswered = [&](std::size_t i) { return std::isnan(probability(i)); };
    const auto rest = std::stable_partition(order_.begin(), order_.end(), std::not_fn(unanswered));
    for (const std::size_t row : order_) add(row, all_);
    order_.erase(rest, order_.end());
    std::ranges::stable_sort(order_, std::greater<>(),
                             [&](std::size_t i) { return probability(i); });
  }

  const Counts& all() const { return all_; }
  const std::vector<std::size_t>& order() const { return order_; }  // those with an answer
  double probability(std::size_t row) const { return double{probabilities_(row, positive_)}; }
  void add(std::size_t row, Counts& to) const {
    to.add(std::cmp_equal(truth_[row], positive_), weights_.empty() ? 1.0 : weights_[row]);
  }

 private:
  std::span<const int> truth_;
  const Matrix& probabilities_;
  std::size_t positive_;
  std::span<const double> weights_;
  std::vector<std::size_t> order_;
  Counts all_;
};

// Of the thresholds above `low` and up to `high`, which all flag the same rows: the best one if the
// probabilities were exact, or else the middle.
double within(double low, double high, double best) {
  return best > low && best <= high ? best : low + (high - low) / 2.0;
}

ThresholdScore cheapest(const RankedRows& rows, const Costs& costs) {
  const double best = costs.false_positive / (costs.false_positive + costs.false_negative);
  std::optional<ThresholdScore> found;
  Counts flagged;
  const auto offer = [&](double low, double high) {
    const ThresholdScore score = scored(within(low, high, best), flagged, rows.all(), costs);
    const auto distance = [&](const ThresholdScore& one) { return std::abs(one.threshold - best); };
    if (!found || *score.cost < *found->cost ||
        (*score.cost == *found->cost && distance(score) < distance(*found)))
      found = score;
  };
  const auto& order = rows.order();
  double above = 1.0;
  for (std::size_t first = 0; first < order.size();) {
    const double here = rows.probability(order[first]);
    if (here < above) offer(here, above);
    for (; first < order.size() && rows.probability(order[first]) == here; ++first)
      rows.add(order[first], flagged);
    above = here;
  }
  offer(0.0, above);  // flags all that have an answer
  return *found;
}

}  // namespace

Costs parse_costs(std::string_view text) {
  Costs costs;
  std::vector<std::string_view> seen;
  for (std::size_t first = 0; first <= text.size();) {
    const std::size_t comma = std::min(text.find(',', first), text.size());
    const std::string_view part = text.substr(first, comma - first);
    const std::string_view name = part.substr(0, part.find('='));
    const double value =
        name.size() < part.size() ? parse_number(part.substr(name.size() + 1)).value_or(0.0) : 0.0;
    const bool known =
        (name == "FP" || name == "FN") && std::ranges::find(seen, name) == seen.end();
    if (!known || !(value > 0.0) || !std::isfinite(value))
      throw UsageError(fmt::format("costs: '{}' is not FP=COST,FN=COST with finite costs above 0",
                                   printable(text)));
    (name == "FP" ? costs.false_positive : costs.false_negative) = value;
    seen.push_back(name);
    first = comma + 1;
  }
  return costs;
}

std::size_t rarer_class(std::span<const int> labels) {
  return std::ranges::count(labels, 0) < std::ranges::count(labels, 1) ? 0 : 1;
}

ThresholdScore score_threshold(double threshold, std::span<const int> truth,
                               const Matrix& probabilities, std::size_t positive,
                               const std::optional<Costs>& costs, std::span<const double> weights) {
  const RankedRows rows(truth, probabilities, positive, weights);
  Counts flagged;
  for (const std::size_t row : rows.order())
    if (rows.probability(row) >= threshold) rows.add(row, flagged);
  return scored(threshold, flagged, rows.all(), costs);
}

Thresholds score_thresholds(std::span<const int> truth, const Matrix& probabilities,
                            std::size_t positive, const std::optional<Costs>& costs,
                            std::span<const double> weights) {
  if (probabilities.cols() != 2 || positive > 1)
    throw UsageError(fmt::format("thresholds are of two classes, not of {}", probabilities.cols()));
  const RankedRows rows(truth, probabilities, positive, weights);
  Thresholds all{.positive = positive, .scores = {}, .cheapest = std::nullopt};
  Counts flagged;
  std::size_t next = 0;
  for (auto threshold = std::rbegin(kShown); threshold != std::rend(kShown); ++threshold) {
    for (; next < rows.order().size() && rows.probability(rows.order()[next]) >= *threshold; ++next)
      rows.add(rows.order()[next], flagged);
    all.scores.push_back(scored(*threshold, flagged, rows.all(), costs));
  }
  std::ranges::reverse(all.scores);
  if (costs) all.cheapest = cheapest(rows, *costs);
  return all;
}

}  // namespace uaspl
