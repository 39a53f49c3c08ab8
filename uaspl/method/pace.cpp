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
constexpr double kTinyThreshold = 1e-12;

// Threshold of the last stage, above every score, by the gap between the two hardest rows.
double threshold_above(double top, double second) {
  return top + std::max({(top - second) / 2.0, 1e-3 * top, kTinyThreshold});
}

class PacedMethod final : public Method {
 public:
  explicit PacedMethod(Recipe recipe) : recipe_(std::move(recipe)) {}

  Loss loss(const Stage& stage) const override { return recipe_.loss(stage); }

  Plan begin_stage(const Stage& stage, const Probe& probe) override {
    if (recipe_.all_rows) {
      std::vector<int> rows(probe.rows());
      std::iota(rows.begin(), rows.end(), 0);
      return {std::move(rows), std::vector<float>(probe.rows(), 1.0F)};
    }
    const std::vector<float> scores =
        recipe_.score ? recipe_.score(stage, probe) : own_loss(stage, probe);
    Selection selection = easiest(scores, stage_rows(stage.share, probe.rows()));
    std::vector<float> weights = stage_weights(selection, scores, recipe_.regulariser);
    return {std::move(selection.rows), std::move(weights)};
  }

 private:
  std::vector<float> own_loss(const Stage& stage, const Probe& probe) const {
    std::vector<float> values(probe.rows());
    loss(stage)(probe.logits(), probe.labels(), values, nullptr);
    return values;
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

Selection easiest(std::span<const float> scores, std::size_t count) {
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
  order.resize(count);
  std::ranges::sort(order);
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

std::vector<float> stage_weights(const Selection& selection, std::span<const float> scores,
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
