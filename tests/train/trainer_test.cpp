// The training loop: early stop, mini-batches, divergence, dead rows, the observer.
#include "uaspl/train/trainer.hpp"

#include <cmath>
#include <functional>

#include "tests/support.hpp"
#include "uaspl/data/split.hpp"
#include "uaspl/loss/cross_entropy.hpp"
#include "uaspl/loss/evidential.hpp"
#include "uaspl/loss/softmax.hpp"
#include "uaspl/method/pace.hpp"
#include "uaspl/net/mlp/mlp.hpp"

namespace uaspl {
namespace {

constexpr std::size_t kRows = 60;

struct Setting {
  testing::Clouds clouds = testing::make_clouds(kRows, 3, 2, 4);
  TrainingSet set{&clouds.inputs, clouds.rows, clouds.labels, 2};
  Mlp net{{.inputs = 3, .hidden = {20}, .classes = 2}, 8};
};

Loss plain_loss(const Stage&) { return cross_entropy(); }
Loss evidential(const Stage&) { return evidential_loss({}); }

class LossRecorder final : public Observer {
 public:
  void on_pass(int stage, int pass, double loss) override {
    losses.push_back(loss);
    last_stage = stage;
    last_pass = pass;
  }
  bool stop() override { return static_cast<int>(losses.size()) >= stop_after; }
  std::vector<double> losses;
  int last_stage = -2;
  int last_pass = -1;
  int stop_after = 1 << 30;
};

TEST(Trainer, AStageEndsAfterTheStepWhoseLossWasSmall) {
  Setting s;
  LossRecorder recorder;
  const auto method = paced({.loss = plain_loss});
  // The loss of the first step is already below: one step is made, then the stage is left.
  const FitReport report = fit(s.net, *method, s.set, {.stop_below = 1e9, .step = {}}, &recorder);
  ASSERT_EQ(report.stages.size(), 6U);
  for (const StageTrace& stage : report.stages) EXPECT_EQ(stage.passes, 1);
  EXPECT_EQ(recorder.losses.size(), 6U);
}

TEST(Trainer, TheEarlyStopLooksAtTheLossBeforeTheUpdate) {
  Setting s;
  LossRecorder free_run;
  const auto start = s.net.clone();
  const auto method = paced({.loss = plain_loss, .take = Selection::kAll});
  fit(s.net, *method, s.set, {.stages = 1, .passes = 40, .stop_below = 0, .step = {}}, &free_run);
  std::size_t expected = 0;  // first pass whose loss is below a bound that the run crosses midway
  const double bound = (free_run.losses.front() + free_run.losses.back()) / 2;
  while (free_run.losses[expected] >= bound) ++expected;
  const FitReport report =
      fit(*start, *method, s.set, {.stages = 1, .passes = 40, .stop_below = bound, .step = {}});
  EXPECT_GT(expected, 0U);
  EXPECT_EQ(report.stages[0].passes, static_cast<int>(expected) + 1);
  EXPECT_DOUBLE_EQ(report.stages[0].last_loss, free_run.losses[expected]);
}

TEST(Trainer, MiniBatchesCoverEveryRowOncePerPass) {
  // A network that only counts.
  class Counter final : public Network {
   public:
    std::unique_ptr<Network> clone() const override { return std::make_unique<Counter>(*this); }
    std::size_t classes() const override { return 2; }
    Matrix logits(const Batch& batch) const override { return {batch.rows.size(), 2}; }
    void update(const Batch& batch, const Step&, const LogitGradient& gradient) override {
      const Matrix o(batch.rows.size(), 2);
      Matrix d;
      gradient(0, o, d);
      sizes.push_back(batch.rows.size());
      for (const int row : batch.rows) ++seen[static_cast<std::size_t>(row)];
      order.insert(order.end(), batch.rows.begin(), batch.rows.end());
      for (const float g : d.values()) largest = std::max(largest, std::abs(g));
    }
    State save() const override { return {}; }
    void load(const State&) override {}
    std::vector<std::size_t> sizes;
    std::vector<int> seen = std::vector<int>(kRows);
    std::vector<int> order;
    float largest = 0.0F;
  };
  Setting s;
  Counter counter;
  const Training training{.stages = 1, .passes = 3, .batch = 25, .step = {}};
  fit(counter, *paced({.loss = plain_loss, .take = Selection::kAll}), s.set, training);
  EXPECT_EQ(counter.sizes, (std::vector<std::size_t>{25, 25, 10, 25, 25, 10, 25, 25, 10}));
  for (const int times : counter.seen) EXPECT_EQ(times, 3);
  EXPECT_FLOAT_EQ(counter.largest, 0.5F / 10);  // the mean of a batch divides by the batch's rows
  const std::vector<int> first(counter.order.begin(), counter.order.begin() + kRows);
  const std::vector<int> second(counter.order.begin() + kRows, counter.order.begin() + 2 * kRows);
  EXPECT_NE(first, second);  // shuffled anew
}

TEST(Trainer, MiniBatchesLearnAndRepeat) {
  const auto run = [](std::uint64_t seed) {
    Setting s;
    LossRecorder recorder;
    const Training training{.stages = 1, .passes = 20, .batch = 16, .step = {}, .seed = seed};
    fit(s.net, *paced({.loss = plain_loss, .take = Selection::kAll}), s.set, training, &recorder);
    return recorder.losses;
  };
  const auto losses = run(1);
  EXPECT_LT(losses.back(), 0.8 * losses.front());
  EXPECT_EQ(losses, run(1));
  EXPECT_NE(losses, run(2));
}

TEST(Trainer, SoftWeightsScaleTheMeanByTheCountOfRows) {
  // Loss value of a step = (1/n) sum v_i l_i, with v from the stage's start.
  Setting s;
  const auto method = paced({.loss = plain_loss, .regulariser = linear_weight});
  const Probe probe(s.net, s.set);
  const StageRows plan = method->begin_stage({0, 6, 0.25}, probe);
  std::vector<float> values(kRows);
  cross_entropy()(probe.logits(), s.set.labels, values, nullptr);
  double expected = 0.0;
  for (std::size_t i = 0; i < plan.rows.size(); ++i)
    expected += plan.weights[i] * values[static_cast<std::size_t>(plan.rows[i])];
  expected /= static_cast<double>(plan.rows.size());
  LossRecorder recorder;
  fit(s.net, *method, s.set, {.stages = 1, .passes = 1, .step = {}}, &recorder);
  EXPECT_NEAR(recorder.losses[0], expected, 1e-6);
}

TEST(Trainer, ADivergedRunIsKeptAndSaysSo) {
  Setting s;
  const auto method = paced({.loss = plain_loss});
  const FitReport report = fit(s.net, *method, s.set, {.passes = 30, .step = {.rate = 1e20F}});
  EXPECT_TRUE(report.diverged);
  EXPECT_EQ(report.stages.size(), 6U);
  EXPECT_EQ(report.stages.back().selected, kRows);
}

// All logits far below zero: no evidence, no gradient, and the report says that learning stalled.
TEST(Trainer, DeadRowsAreCountedAndAStallIsReported) {
  Setting s;
  State state = s.net.save();
  for (float& b : state.at("fc2.bias").values) b = -100.0F;
  s.net.load(state);
  const Training training{.stages = 2, .passes = 5, .step = {}};
  const FitReport dead = fit(s.net, *paced({.loss = evidential}), s.set, training);
  EXPECT_EQ(dead.stages[0].dead, kRows);
  EXPECT_EQ(dead.stages[0].stuck, dead.stages[0].selected);
  EXPECT_TRUE(dead.stalled);

  Setting alive;
  const FitReport fine = fit(alive.net, *paced({.loss = evidential}), alive.set, {.step = {}});
  EXPECT_FALSE(fine.stalled);
  Setting other;
  other.net.load(state);
  const auto softplus = [](const Stage&) {
    return evidential_loss({.evidence = Evidence::kSoftplus});
  };
  EXPECT_EQ(fit(other.net, *paced({.loss = softplus}), other.set, training).stages[0].dead, 0U);
}

TEST(Trainer, TheObserverCanStopIt) {
  Setting s;
  LossRecorder recorder;
  recorder.stop_after = 7;
  const FitReport report =
      fit(s.net, *paced({.loss = plain_loss}), s.set, {.passes = 5, .step = {}}, &recorder);
  EXPECT_TRUE(report.stopped);
  EXPECT_EQ(recorder.losses.size(), 7U);
  EXPECT_EQ(report.stages.size(), 2U);
}

// Sees what a method with meta rows sees.
class Judge final : public Method {
 public:
  Needs needs() const override { return {.meta_fraction = 0.25}; }
  Loss loss(const Stage&) const override { return cross_entropy(); }
  StageRows begin_stage(const Stage&, const Probe& probe) override {
    seen.assign(probe.data_rows().begin(), probe.data_rows().end());
    visits = probe.pretraining().visits(0);
    return {testing::first_rows(probe.rows()), std::vector<float>(probe.rows(), 1.0F)};
  }
  void weigh(const Visit& visit, const Probe&, std::span<float> weights) override {
    std::ranges::fill(weights, 0.5F);
    steps += visit.positions.size() == seen.size() ? 1 : 0;
  }
  void after_step(const Visit&, const Probe& probe, const Matrix& logits) override {
    logits_after = logits.rows() == probe.rows() ? logits_after + 1 : -1000;
  }
  std::vector<int> seen;
  std::size_t visits = 0;
  int steps = 0;
  int logits_after = 0;
};

TEST(Trainer, MetaRowsAreKeptApartByTheSeedAndHooksSeeEveryStep) {
  Setting s;
  const Training training{.stages = 2, .passes = 3, .step = {}, .seed = 9};
  const Pretraining before = pretrain(s.net, s.set, 4, training);
  s.set.pretraining = &before.history;
  Judge judge;
  const FitReport report = fit(s.net, judge, s.set, training);
  const Split split = train_test_split(s.set.rows.size(), 0.25, 9);
  std::vector<int> expected;
  for (const int p : split.train) expected.push_back(s.set.rows[static_cast<std::size_t>(p)]);
  EXPECT_EQ(judge.seen, expected);
  EXPECT_EQ(judge.visits, 4U);
  EXPECT_EQ(judge.steps, 6);
  EXPECT_EQ(judge.logits_after, 6);
  EXPECT_EQ(report.stages[0].selected, expected.size());
}

TEST(Trainer, PretrainingRemembersWhatItSaw) {
  Setting s;
  const Matrix logits = s.net.logits(s.clouds.batch());
  const Pretraining once = pretrain(s.net, s.set, 1, {.step = {}});
  for (std::size_t i = 0; i < s.set.rows.size(); ++i) {
    EXPECT_EQ(once.history.visits(i), 1U);
    EXPECT_NEAR(once.history.mean(i),
                softmax_probability(logits.row(i), static_cast<std::size_t>(s.set.labels[i])),
                1e-6);
  }
}

TEST(Trainer, PretrainingIsPlainCrossEntropyOnAllRows) {
  Setting s;
  LossRecorder recorder;
  EXPECT_FALSE(pretrain(s.net, s.set, 20, {.step = {}}, &recorder).stopped);
  EXPECT_EQ(recorder.losses.size(), 20U);
  EXPECT_EQ(recorder.last_stage, -1);
  EXPECT_LT(recorder.losses.back(), recorder.losses.front());
}

}  // namespace
}  // namespace uaspl
