// active_bias (Chang et al. 2017): uses all rows, with more weight on rows whose predictions vary.
#include "uaspl/method/active_bias.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "uaspl/method/recipes.hpp"

namespace uaspl {

std::vector<float> variance_weights(const PredictionHistory& history,
                                    std::span<const int> positions, double floor) {
  std::vector<float> weights(positions.size(), 1.0F);
  std::vector<double> spread(positions.size());
  for (std::size_t i = 0; i < spread.size(); ++i) {
    const auto row = static_cast<std::size_t>(positions[i]);
    if (history.visits(row) < 2) return weights;
    const double variance = history.variance(row);
    const auto others = static_cast<double>(history.visits(row) - 1);
    spread[i] = std::sqrt(variance + variance * variance / others) + floor;
  }
  const double sum = std::accumulate(spread.begin(), spread.end(), 0.0);
  if (!(sum > 0.0)) return weights;
  const double scale = static_cast<double>(spread.size()) / sum;
  for (std::size_t i = 0; i < spread.size(); ++i)
    weights[i] = static_cast<float>(spread[i] * scale);
  return weights;
}

std::vector<float> draw_counts(std::span<const float> weights, Stream stream) {
  std::vector<double> sums(weights.size());
  std::inclusive_scan(weights.begin(), weights.end(), sums.begin(), std::plus<>(), 0.0);
  std::vector<float> counts(weights.size());
  for (std::size_t draw = 0; draw < counts.size(); ++draw) {
    const auto found = std::ranges::upper_bound(sums, stream.uniform() * sums.back());
    ++counts[std::min(static_cast<std::size_t>(found - sums.begin()), counts.size() - 1)];
  }
  return counts;
}

namespace {

class ActiveBias final : public Method {
 public:
  ActiveBias(double floor, bool draws) : floor_(floor), draws_(draws), all_rows_(make_direct()) {}

  Loss loss(const Stage& stage) const override { return all_rows_->loss(stage); }

  StageRows begin_stage(const Stage& stage, const Probe& probe) override {
    if (stage.index == 0) history_ = probe.pretraining();
    stage_ = static_cast<std::uint64_t>(stage.index);
    steps_ = 0;
    return all_rows_->begin_stage(stage, probe);
  }

  void weigh(const Visit& visit, const Probe& probe, std::span<float> weights) override {
    std::vector<float> factors = variance_weights(history_, visit.positions, floor_);
    if (draws_) factors = draw_counts(factors, probe.stream("active_bias", stage_, steps_));
    ++steps_;
    for (std::size_t i = 0; i < weights.size(); ++i) weights[i] *= factors[i];
  }

  void after_step(const Visit& visit, const Probe& probe, const Matrix& logits) override {
    history_.add(visit.positions, logits, probe.labels());
  }

  void save(SavedState& numbers) const override { history_.save(numbers); }
  void load(const SavedState& numbers, std::size_t rows) override { history_.load(numbers, rows); }

 private:
  double floor_;
  bool draws_;
  std::unique_ptr<Method> all_rows_;
  std::uint64_t stage_ = 0;
  std::uint64_t steps_ = 0;  // of this stage
  PredictionHistory history_;
};

}  // namespace

std::unique_ptr<Method> make_active_bias(const Settings& settings) {
  return std::make_unique<ActiveBias>(settings["floor"], settings["use"] == 1.0);
}

}  // namespace uaspl
