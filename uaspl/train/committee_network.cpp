// One network of a committee, see committee_network.hpp.
#include "uaspl/train/committee_network.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "uaspl/model/readout.hpp"
#include "uaspl/net/mlp/mlp.hpp"

namespace uaspl {
namespace {

constexpr int kUsualPasses = 30;
constexpr double kMostVisits = 3e6;  // of rows; with more of them, there are fewer passes
constexpr int kFewestPasses = 4;

// Keeps the weights of a network at some moments of its training, and what it then says of rows.
class MomentTaker final : public Observer {
 public:
  MomentTaker(const Network& network, const MemberRows& rows, std::vector<int> after_passes,
              const std::function<bool()>& stop)
      : network_(network), rows_(rows), after_(std::move(after_passes)), stop_(stop) {}

  void on_pass(int, int, double) override {
    ++passes_;
    for (; taken.weights.size() < after_.size() && after_[taken.weights.size()] <= passes_;) {
      taken.weights.push_back(network_.save());
      const Matrix logits = network_.logits({rows_.inputs, rows_.judged});
      taken.probabilities.push_back(read_out(logits, {Evidence::kExp}).probabilities);
    }
  }
  bool stop() override { return stop_ && stop_(); }

  MomentsOfMember taken;

 private:
  const Network& network_;
  const MemberRows& rows_;
  std::vector<int> after_;
  const std::function<bool()>& stop_;
  int passes_ = 0;
};

}  // namespace

Schedule::Schedule(std::size_t rows, int steps)
    : batch(std::clamp<std::size_t>(rows / 4, 16, 256)) {
  const double of_pass =
      std::max(1.0, std::round(static_cast<double>(rows) / static_cast<double>(batch)));
  const int affordable = static_cast<int>(kMostVisits / static_cast<double>(rows));
  passes = std::max(static_cast<int>(std::ceil(steps / of_pass)),
                    std::clamp(affordable, kFewestPasses, kUsualPasses));
  pretraining = std::max(1, static_cast<int>(std::lround(0.03 * passes)));
  const int rest = passes - pretraining;
  paced = rest < 8 ? 0 : std::max(1, static_cast<int>(std::lround(0.05 * rest)));
}

Training Schedule::training(const NetworkExpert& expert, std::uint64_t seed) const {
  Training result;
  result.stages = paced > 0 ? 4 : 1;
  result.first_share = paced > 0 ? 0.7 : 1.0;
  result.share_step = 0.1;
  const int last = passes - pretraining - 3 * paced;
  result.stage_passes = paced > 0 ? std::vector<int>{paced, paced, paced, last} : std::vector{last};
  result.batch = batch;
  result.stop_below = 0.0;
  result.step = {.optimiser = Optimiser::kAdamW,
                 .rate = expert.rate,
                 .momentum = 0.9F,
                 .second_keep = 0.95F,
                 .decay = expert.decay,
                 .dropout = expert.dropout};
  result.seed = seed;
  result.cosine = true;
  result.earlier_passes = pretraining;
  return result;
}

MomentsOfMember train_member(const MemberRows& rows, const NetworkExpert& expert,
                             const CommitteeOptions& options, const ChosenMethod& method,
                             std::uint64_t seed) {
  const Schedule schedule(rows.train.size(), expert.steps);
  const Training training = schedule.training(expert, seed);
  Mlp network({rows.inputs.matrix().cols(), options.hidden, rows.classes},
              static_cast<std::uint32_t>(seed));
  std::vector<int> after;
  for (const double moment : options.moments)
    after.push_back(std::max(schedule.pretraining + 1,
                             static_cast<int>(std::lround(moment * schedule.passes))));
  MomentTaker moments(network, rows, std::move(after), options.stop);
  TrainingSet set{.inputs = &rows.inputs,
                  .rows = rows.train,
                  .labels = rows.labels,
                  .classes = rows.classes,
                  .weights = rows.weights};
  const Pretraining before = pretrain(network, set, schedule.pretraining, training, &moments);
  set.pretraining = &before.history;
  if (!before.stopped) fit(network, *method.make(), set, training, &moments);
  return std::move(moments.taken);
}

}  // namespace uaspl
