// Self-paced learning, see pace.hpp.
#include "uaspl/method/pace.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

namespace uaspl {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Returns the threshold of the last stage, which is above every score by the gap between the two
// hardest rows.
double threshold_above(double top, double second) {
  return top + std::max({(top - second) / 2.0, 1e-3 * top, kTinyThreshold});
}

// Returns the positions of all rows as one group, or a group for each class.
std::vector<std::vector<int>> groups(Selection take, std::span<const int> labels) {
  const bool by_class = take == Selection::kEasiestOfEachClass && !labels.empty();
  std::vector<std::vector<int>> all(
      by_class ? static_cast<std::size_t>(std::ranges::max(labels)) + 1 : 1);
  for (std::size_t i = 0; i < labels.size(); ++i)
    all[by_class ? static_cast<std::size_t>(labels[i]) : 0].push_back(static_cast<int>(i));
  std::erase_if(all, [](const std::vector<int>& group) { return group.empty(); });
  return all;
}

std::size_t group_rows(Selection take, double share, std::size_t rows) {
  if (take == Selection::kAll) return rows;
  return take == Selection::kEasiest ? stage_rows(share, rows) : stage_rows_of_class(share, rows);
}

class PacedMethod final : public Method {
 public:
  explicit PacedMethod(Recipe recipe) : recipe_(std::move(recipe)) {}

  Needs needs() const override { return recipe_.needs; }
  Selection take() const override { return recipe_.take; }
  Loss loss(const Stage& stage) const override { return recipe_.loss(stage); }
  std::optional<Loss> loss_of_pass(const Stage& stage, int pass) const override {
    if (!recipe_.loss_of_pass) return std::nullopt;
    return recipe_.loss_of_pass(stage, pass);
  }

  StageRows begin_stage(const Stage& stage, const Probe& probe) override {
    const std::vector<float> weights = recipe_.take == Selection::kAll
                                           ? std::vector<float>(probe.rows(), 1.0F)
                                           : pick(stage, probe);
    const auto factors = recipe_.weights ? recipe_.weights(probe) : std::vector<float>();
    StageRows chosen;
    chosen.dropout = recipe_.dropout;
    for (std::size_t i = 0; i < weights.size(); ++i) {
      if (weights[i] < 0.0F) continue;
      chosen.rows.push_back(static_cast<int>(i));
      chosen.weights.push_back(factors.empty() ? weights[i] : weights[i] * factors[i]);
    }
    return chosen;
  }

 private:
  // Returns the weights of all rows, negative for rows that are not taken in.
  std::vector<float> pick(const Stage& stage, const Probe& probe) const {
    const std::vector<float> scores =
        recipe_.score ? recipe_.score(stage, probe) : probe.losses(loss(stage));
    std::vector<float> weights(probe.rows(), -1.0F);
    for (const std::vector<int>& group : groups(recipe_.take, probe.labels())) {
      std::vector<float> part;
      for (const int i : group) part.push_back(scores[static_cast<std::size_t>(i)]);
      const SelectedRows selection =
          easiest(part, group_rows(recipe_.take, stage.share, group.size()));
      const std::vector<float> chosen = stage_weights(selection, part, recipe_.regulariser);
      for (std::size_t j = 0; j < chosen.size(); ++j) {
        const int row = group[static_cast<std::size_t>(selection.rows[j])];
        weights[static_cast<std::size_t>(row)] = chosen[j];
      }
    }
    return weights;
  }

  Recipe recipe_;
};

}  // namespace

double stage_share(int stage, double first, double step) {
  return std::min(1.0, first + step * static_cast<double>(stage));
}

std::size_t stage_rows(double share, std::size_t rows) {
  return std::max<std::size_t>(1, static_cast<std::size_t>(share * static_cast<double>(rows)));
}

std::size_t stage_rows_of_class(double share, std::size_t members) {
  return std::max<std::size_t>(
      1, static_cast<std::size_t>(share * static_cast<double>(members) + 0.5));
}

std::size_t taken_rows(Selection take, double share, std::span<const int> labels) {
  std::size_t sum = 0;
  for (const std::vector<int>& group : groups(take, labels))
    sum += group_rows(take, share, group.size());
  return sum;
}

SelectedRows easiest(std::span<const float> scores, std::size_t count) {
  assert(count >= 1 && count <= scores.size());
  const auto value = [&](int i) {
    const double score = scores[static_cast<std::size_t>(i)];
    return std::isnan(score) ? kInfinity : score;
  };
  const auto easier = [&](int a, int b) {
    return value(a) != value(b) ? value(a) < value(b) : a < b;
  };
  std::vector<int> order(scores.size());
  std::iota(order.begin(), order.end(), 0);
  const auto last = order.begin() + static_cast<std::ptrdiff_t>(count) - 1;  // hardest row inside
  std::ranges::nth_element(order, last, easier);

  double threshold = 0.0;
  if (count < order.size()) {
    const int next = *std::min_element(last + 1, order.end(), easier);
    threshold = (value(*last) + value(next)) / 2.0;
  } else {
    const auto second =
        last == order.begin() ? last : std::max_element(order.begin(), last, easier);
    threshold = threshold_above(value(*last), value(*second));
  }
  // Lists the rows in ascending order without sorting.
  std::vector<bool> inside(scores.size());
  for (auto i = order.begin(); i <= last; ++i) inside[static_cast<std::size_t>(*i)] = true;
  order.clear();
  for (std::size_t i = 0; i < inside.size(); ++i)
    if (inside[i]) order.push_back(static_cast<int>(i));
  return {std::move(order), threshold};
}

double hard_weight(double, double) { return 1.0; }

double linear_weight(double score, double threshold) {
  return std::max(0.0, 1.0 - score / threshold);
}

Regulariser mixture_weight(double gamma_ratio) {
  return [gamma_ratio](double score, double threshold) {
    const double lambda = std::sqrt(threshold);
    const double gamma = gamma_ratio * lambda;
    const double root = std::sqrt(std::max(score, 0.0));
    if (root <= lambda * gamma / (lambda + gamma)) return 1.0;
    if (root >= lambda) return 0.0;
    return gamma * (1.0 / root - 1.0 / lambda);
  };
}

std::vector<float> stage_weights(const SelectedRows& selection, std::span<const float> scores,
                                 const Regulariser& regulariser) {
  std::vector<float> weights(selection.rows.size(), 1.0F);
  if (!(selection.threshold >= kTinyThreshold && selection.threshold < kInfinity)) return weights;
  float sum = 0.0F;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const double score = scores[static_cast<std::size_t>(selection.rows[i])];
    weights[i] = static_cast<float>(regulariser(score, selection.threshold));
    sum += weights[i];
  }
  // All selected rows tie with the threshold, for example because none has evidence.
  if (!(sum > 0.0F)) std::ranges::fill(weights, 1.0F);
  return weights;
}

std::unique_ptr<Method> paced(Recipe recipe) {
  return std::make_unique<PacedMethod>(std::move(recipe));
}

}  // namespace uaspl
