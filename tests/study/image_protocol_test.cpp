// What the networks of the image study are asked for, and when: views, rates, features, and the
// terms of the loss, stage by stage.
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "tests/support.hpp"
#include "uaspl/loss/evidential.hpp"
#include "uaspl/method/probe.hpp"
#include "uaspl/method/uaspl.hpp"
#include "uaspl/net/mlp/mlp.hpp"
#include "uaspl/study/protocol.hpp"

namespace uaspl {
namespace {

enum class Asked { kLogits, kStep, kFeatures };

struct Call {
  Asked what;
  int stage;  // -2 before the pre-training, -1 in it
  View view;
  float rate;
};

// An MLP that writes down what it is asked for.
class Recorder final : public Network {
 public:
  Recorder(const testing::Clouds& clouds, std::vector<Call>& calls, const int& stage)
      : net_({.inputs = clouds.points().cols(), .hidden = {8}, .classes = 3}, 1),
        calls_(calls),
        stage_(stage) {}
  std::unique_ptr<Network> clone() const override { return std::make_unique<Recorder>(*this); }
  std::size_t classes() const override { return net_.classes(); }
  Matrix logits(const Batch& batch) const override {
    calls_.push_back({Asked::kLogits, stage_, batch.view, 0.0F});
    return net_.logits(batch);
  }
  void update(const Batch& batch, const Step& step, const LogitGradient& gradient) override {
    calls_.push_back({Asked::kStep, stage_, batch.view, step.rate});
    net_.update(batch, step, gradient);
  }
  Abilities abilities() const override { return net_.abilities(); }
  Matrix features(const Batch& batch) const override {
    calls_.push_back({Asked::kFeatures, stage_, batch.view, 0.0F});
    return net_.features(batch);
  }
  State save() const override { return net_.save(); }
  void load(const State& state) override { net_.load(state); }

 private:
  Mlp net_;
  std::vector<Call>& calls_;
  const int& stage_;
};

// In which stage the steps are; what is asked for after the last step of a stage is for the next.
class StageWatch final : public Observer {
 public:
  explicit StageWatch(int& stage) : stage_(stage) {}
  void on_stage_start(const Stage& stage, const Probe&, const StageRows&) override {
    stage_ = stage.index;
  }

 private:
  int& stage_;
};

std::vector<Call> calls_of(const std::string& method, const Training& training) {
  const auto clouds = testing::make_clouds(96, 4, 3, 9);
  std::vector<Call> calls;
  int stage = -2;
  StageWatch watch(stage);
  Recorder net(clouds, calls, stage);
  TrainingSet set{&clouds.inputs, clouds.rows, clouds.labels, 3};
  const Pretraining before = pretrain(net, set, 2, training, &watch);
  set.pretraining = &before.history;
  stage = -2;
  const auto chosen = choose_methods(std::vector<std::string>{method}, {}).front();
  fit(net, *chosen.make(), set, training, &watch);
  return calls;
}

Training image_training() {
  Training training = image_protocol(find_image_profile("full")).fit.training;
  training.passes = 2;
  training.batch = 24;
  training.seed = 7;
  return training;
}

TEST(ImageProtocol, RatesFallAfterTheSecondAndTheFourthStage) {
  constexpr float kRates[] = {0.1F, 0.1F, 0.01F, 0.01F, 0.001F, 0.001F};
  std::set<int> stages;
  for (const Call& call : calls_of("direct", image_training())) {
    if (call.what != Asked::kStep) continue;
    EXPECT_EQ(call.rate, call.stage < 0 ? 0.1F : kRates[call.stage]) << call.stage;
    if (call.stage >= 0) stages.insert(call.stage);
  }
  EXPECT_EQ(stages.size(), 6U);
}

TEST(ImageProtocol, RatesFallWhereFourAndWhereTwoStagesAreLeft) {
  const std::map<int, std::vector<float>> expected = {
      {1, {0.1F}},
      {2, {0.01F, 0.01F}},
      {3, {0.1F, 0.01F, 0.01F}},
      {4, {0.01F, 0.01F, 0.001F, 0.001F}},
      {7, {0.1F, 0.1F, 0.1F, 0.01F, 0.01F, 0.001F, 0.001F}}};
  for (const auto& [stages, rates] : expected) {
    Training training = image_training();
    training.stages = stages;
    std::set<int> seen;
    for (const Call& call : calls_of("direct", training)) {
      if (call.what != Asked::kStep || call.stage < 0) continue;
      EXPECT_EQ(call.rate, rates[static_cast<std::size_t>(call.stage)]) << stages;
      seen.insert(call.stage);
    }
    EXPECT_EQ(seen.size(), rates.size());
  }
}

TEST(ImageProtocol, ScoringAndTrainingSeeAugmentedViewsAndFeaturesPlainOnes) {
  std::set<std::uint64_t> scoring;
  std::set<std::uint64_t> training;
  int features = 0;
  for (const Call& call : calls_of("wsplbf1", image_training())) {
    if (call.what == Asked::kFeatures) {
      ++features;
      EXPECT_FALSE(call.view.augmented);
      continue;
    }
    EXPECT_TRUE(call.view.augmented);
    (call.what == Asked::kLogits ? scoring : training).insert(call.view.seed);
  }
  EXPECT_EQ(features, 1);
  EXPECT_EQ(training.size(), 2U + 6U * 2U);  // one a pass, of the pre-training and of the stages
  EXPECT_EQ(scoring.size(), 7U);             // one a stage, and one for what comes out
  for (const std::uint64_t seed : scoring) EXPECT_FALSE(training.contains(seed));
}

TEST(ImageProtocol, TablesHaveOneView) {
  for (const Call& call : calls_of("wsplbf1", {.passes = 2, .step = {}, .seed = 7})) {
    EXPECT_FALSE(call.view.augmented);
    EXPECT_EQ(call.rate, call.what == Asked::kStep ? 0.1F : 0.0F);
  }
}

// As it is for CIFAR-10.
std::unique_ptr<Method> hybrid() {
  const std::vector<std::string> settings{"uaspl_hybrid.beta_first=0.1",
                                          "uaspl_hybrid.beta_last=0.05", "uaspl_hybrid.kappa=1"};
  return choose_methods(std::vector<std::string>{"uaspl_hybrid"}, settings).front().make();
}

TEST(ImageProtocol, TheHybridTurnsFromTheLossToTheCertainty) {
  const auto clouds = testing::make_clouds(400, 4, 3, 9);
  const Mlp net({.inputs = 4, .hidden = {8}, .classes = 3}, 1);
  const TrainingSet set{&clouds.inputs, clouds.rows, clouds.labels, 3};
  const Probe probe(net, set);
  const auto method = hybrid();
  std::set<std::vector<int>> chosen;
  for (int t = 0; t < 6; ++t) {
    const Stage stage{t, 6, 0.5};
    const auto scores = hybrid_scores(probe.losses(method->loss(stage)),
                                      vacuity(probe.logits(), Evidence::kExp), (t + 1) / 6.0F);
    std::vector<int> expected = clouds.rows;
    std::ranges::stable_sort(expected, {}, [&](int i) { return scores[i]; });
    expected.resize(200);
    std::ranges::sort(expected);
    std::vector<int> rows = method->begin_stage(stage, probe).rows;
    std::ranges::sort(rows);
    EXPECT_EQ(rows, expected) << t;
    chosen.insert(rows);
  }
  EXPECT_EQ(chosen.size(), 6U);  // or they would say nothing of the turn
}

TEST(ImageProtocol, TheHybridsDivergenceShrinks) {
  const auto method = hybrid();
  const Matrix logits = testing::random_matrix(20, 3, 5, 4.0);
  const std::vector<int> labels = testing::random_labels(20, 3, 5);
  const auto values = [&](const Loss& loss) {
    std::vector<float> result(labels.size());
    loss(logits, labels, result, nullptr);
    return result;
  };
  constexpr double kFactors[] = {0.1, 0.09, 0.08, 0.07, 0.06, 0.05};
  for (int t = 0; t < 6; ++t) {
    const auto expected = values(evidential_loss(
        {.evidence = Evidence::kExp, .kl_scale = kFactors[t], .correct_evidence = 1.0}));
    const auto actual = values(method->loss({t, 6, 1.0}));
    for (std::size_t i = 0; i < expected.size(); ++i)
      EXPECT_NEAR(actual[i], expected[i], 1e-6 * (1.0 + std::abs(expected[i]))) << t;
  }
}

}  // namespace
}  // namespace uaspl
