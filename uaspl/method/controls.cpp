// Controls, which show what a curriculum is worth: the pace and loss of SPL and UASPL with rows in
// a random order or with the hardest first, and a model that answers with the commonest class.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "uaspl/method/recipes.hpp"

namespace uaspl {
namespace {

// Returns the method with this loss whose rows come in the order of the control.
std::unique_ptr<Method> controlled(Order order, StageLoss loss) {
  const Score random = [](const Stage& stage, const Probe& probe) {
    Stream stream = probe.stream("random order", static_cast<std::uint64_t>(stage.index));
    std::vector<float> scores(probe.rows());
    for (float& score : scores) score = static_cast<float>(stream.uniform());
    return scores;
  };
  const Score hardest = [loss](const Stage& stage, const Probe& probe) {
    std::vector<float> scores = probe.losses(loss(stage));
    for (float& score : scores) score = -score;
    return scores;
  };
  return paced({.loss = std::move(loss), .score = order == Order::kRandom ? random : hardest});
}

constexpr double kAbsent = 1e-9;  // share of a class without rows: its logarithm must be finite

class Majority final : public Method {
 public:
  Needs needs() const override { return {.network = {.constant = true}}; }
  Loss loss(const Stage& stage) const override { return all_rows_->loss(stage); }
  StageRows begin_stage(const Stage& stage, const Probe& probe) override {
    return all_rows_->begin_stage(stage, probe);
  }
  std::vector<float> constant_logits(const Probe& probe) const override {
    std::vector<int> all(probe.rows());
    std::iota(all.begin(), all.end(), 0);
    const std::vector<float> weights = probe.weights_at(all);
    std::vector<double> counts(probe.classes());
    double sum = 0.0;
    for (std::size_t i = 0; i < all.size(); ++i) {
      counts[static_cast<std::size_t>(probe.labels()[i])] += static_cast<double>(weights[i]);
      sum += static_cast<double>(weights[i]);
    }
    std::vector<float> logits;
    for (const double count : counts)
      logits.push_back(static_cast<float>(std::log(std::max(kAbsent, count / sum))));
    return logits;
  }

 private:
  std::unique_ptr<Method> all_rows_ = make_direct();
};

}  // namespace

std::unique_ptr<Method> make_spl_control(Order order) { return controlled(order, softmax_loss); }

std::unique_ptr<Method> make_uaspl_control(Order order, const Settings& settings) {
  return controlled(order, uaspl_loss(settings));
}

std::unique_ptr<Method> make_majority(const Settings&) { return std::make_unique<Majority>(); }

}  // namespace uaspl
