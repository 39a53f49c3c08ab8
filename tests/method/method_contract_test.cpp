// What every method of the table must keep; a new line in the table is covered at once.
#include <cmath>
#include <set>

#include "tests/images.hpp"
#include "uaspl/base/error.hpp"
#include "uaspl/method/pace.hpp"
#include "uaspl/method/registry.hpp"
#include "uaspl/model/metrics.hpp"
#include "uaspl/net/mlp/mlp.hpp"
#include "uaspl/train/checkpoint.hpp"
#include "uaspl/train/trainer.hpp"

namespace uaspl {
namespace {

// Records the plans of a fit and the weights of its steps.
class Recorder final : public Observer {
 public:
  void on_start(const Network&, const Method& started) override { method = &started; }
  void on_stage_start(const Stage& stage, const Probe& probe, const StageRows& plan) override {
    plans.push_back(plan);
    rows = probe.rows();
    expected.push_back(taken_rows(method->take(), method->share(stage), probe.labels()));
  }
  void on_step(const Visit& visit, std::span<const float> weights) override {
    same_size = same_size && visit.positions.size() == weights.size();
    dropout.insert(visit.step.dropout);
    if (visit.step.dropout > 0.0F) new_masks = new_masks && masks.insert(visit.step.seed).second;
    for (const float w : weights) {
      lowest = std::min(lowest, w);
      highest = std::max(highest, w);
      finite = finite && std::isfinite(w);
    }
  }
  void on_pass(int, int, double loss) override { finite = finite && std::isfinite(loss); }

  const Method* method = nullptr;
  std::size_t rows = 0;               // training rows that the method sees
  std::vector<std::size_t> expected;  // rows of each stage
  std::vector<StageRows> plans;
  float lowest = 1.0F;
  float highest = 0.0F;
  bool finite = true;
  bool same_size = true;
  std::set<float> dropout;        // rates of the steps
  std::set<std::uint64_t> masks;  // seeds of the steps
  bool new_masks = true;          // in every step
};

struct Outcome {
  Recorder recorder;
  Selection take = Selection::kEasiest;
  bool paces_itself = false;
  double last_share = 1.0;
  FitReport report;
  State state;
};

struct Case {
  std::size_t rows = 130;
  std::size_t classes = 3;
  std::size_t threads = 1;
  std::size_t batch = 0;
  bool rare_class = false;  // two rows of the last class
};

// Pre-training, then the method on a clone of the network.
Outcome train(const MethodInfo& info, Network& net, TrainingSet set, const Training& training,
              int pretraining_passes) {
  const Pretraining pretraining = pretrain(net, set, pretraining_passes, training);
  set.pretraining = &pretraining.history;
  const auto network = net.clone();
  const auto method = info.make(Settings(info.options));
  Outcome outcome;
  outcome.report = fit(*network, *method, set, training, &outcome.recorder);
  outcome.take = method->take();
  outcome.paces_itself = method->paces_itself();
  outcome.last_share = method->share({5, 6, 1.0});
  outcome.state = network->save();
  return outcome;
}

Outcome run(const MethodInfo& info, const Case& one) {
  auto clouds = testing::make_clouds(one.rows, 4, one.classes, 17);
  if (one.rare_class) {
    const int rare = static_cast<int>(one.classes) - 1;
    for (std::size_t i = 0; i < one.rows; ++i)
      if (clouds.labels[i] == rare) clouds.labels[i] = 0;
    clouds.labels[3] = clouds.labels[one.rows - 1] = rare;
  }
  Mlp net({.inputs = 4, .hidden = {24, 16}, .classes = one.classes}, 5,
          one.threads > 1 ? std::make_shared<Workers>(one.threads) : nullptr);
  return train(info, net, {&clouds.inputs, clouds.rows, clouds.labels, one.classes},
               {.passes = 12, .batch = one.batch, .step = {}, .seed = 11}, 5);
}

// What holds for every stage of every method.
void expect_sane(const MethodInfo& info, const Outcome& outcome, std::size_t rows) {
  const Recorder& seen = outcome.recorder;
  const double meta = info.needs().meta_fraction;
  const auto kept_apart = static_cast<std::size_t>(std::ceil(meta * static_cast<double>(rows)));
  EXPECT_EQ(seen.rows, rows - kept_apart);
  if (outcome.paces_itself) {
    ASSERT_GE(seen.plans.size(), 1U);
  } else {
    ASSERT_EQ(seen.plans.size(), 6U);
  }
  EXPECT_TRUE(seen.finite);
  EXPECT_TRUE(seen.same_size);
  EXPECT_FALSE(outcome.report.diverged);
  const bool samples = info.needs().network.sampled_logits;
  const bool steps = !info.needs().network.constant;
  EXPECT_EQ(seen.dropout, steps ? std::set<float>{samples ? 0.2F : 0.0F} : std::set<float>());
  EXPECT_TRUE(seen.new_masks);
  EXPECT_GE(seen.lowest, 0.0F);
  if (steps) {
    EXPECT_GT(seen.highest, 0.0F);
  }
  for (std::size_t t = 0; t < seen.plans.size(); ++t) {
    const StageRows& plan = seen.plans[t];
    EXPECT_EQ(plan.rows.size(), seen.expected[t]);
    EXPECT_EQ(plan.rows.size(), plan.weights.size());
    EXPECT_EQ(outcome.report.stages[t].selected, plan.rows.size());
    EXPECT_TRUE(std::ranges::is_sorted(plan.rows));
    EXPECT_EQ(std::set<int>(plan.rows.begin(), plan.rows.end()).size(), plan.rows.size());
    EXPECT_TRUE(plan.rows.front() >= 0 && plan.rows.back() < static_cast<int>(seen.rows));
    for (const float w : plan.weights) EXPECT_TRUE(w >= 0.0F && w <= 1.0F);
  }
  if (outcome.take != Selection::kAll) {
    EXPECT_LE(seen.highest, 1.0F);
  }
  if (outcome.last_share == 1.0) {
    EXPECT_EQ(seen.plans.back().rows.size(), seen.rows) << "the last stage takes all rows";
  }
}

class MethodContract : public ::testing::TestWithParam<const MethodInfo*> {};

TEST_P(MethodContract, TakesTheRightRowsWithSaneWeights) {
  for (const std::size_t classes : {2U, 3U, 10U})
    expect_sane(*GetParam(), run(*GetParam(), {.classes = classes}), 130);
}

TEST_P(MethodContract, ManagesAClassOfTwoRows) {
  for (const std::size_t classes : {2U, 3U, 10U}) {
    const Outcome outcome = run(*GetParam(), {.classes = classes, .rare_class = true});
    expect_sane(*GetParam(), outcome, 130);
  }
}

TEST_P(MethodContract, RunsOnBatches) {
  expect_sane(*GetParam(), run(*GetParam(), {.batch = 32}), 130);
}

TEST_P(MethodContract, GivesTheSameResultTwiceAndOnAnyNumberOfThreads) {
  constexpr std::size_t kRows = 800;  // from the second stage on, for two threads and more
  const Outcome first = run(*GetParam(), {.rows = kRows});
  for (const std::size_t threads : {1U, 2U, 4U}) {
    const Outcome again = run(*GetParam(), {.rows = kRows, .threads = threads});
    for (const auto& [name, tensor] : first.state) {
      EXPECT_EQ(tensor.values, again.state.at(name).values) << name;
    }
  }
}

TEST_P(MethodContract, ManagesTinyDataSets) {
  for (const std::size_t n : {2U, 3U, 7U})
    expect_sane(*GetParam(), run(*GetParam(), {.rows = n, .classes = 2}), n);
}

TEST_P(MethodContract, OneObjectServesSeveralFits) {
  const auto clouds = testing::make_clouds(60, 4, 2, 17);
  const Mlp net({.inputs = 4, .hidden = {8}, .classes = 2}, 5);
  const auto method = GetParam()->make(Settings(GetParam()->options));
  const TrainingSet set{&clouds.inputs, clouds.rows, clouds.labels, 2};
  std::vector<State> states;
  for (int again = 0; again < 2; ++again) {
    const auto network = net.clone();
    fit(*network, *method, set, {.passes = 4, .step = {}, .seed = 3});
    states.push_back(network->save());
  }
  for (const auto& [name, tensor] : states[0])
    EXPECT_EQ(tensor.values, states[1].at(name).values) << name;
}

// Stops in the middle of a stage.
class Interruption final : public Observer {
 public:
  explicit Interruption(int stage) : stage_(stage) {}
  void on_pass(int stage, int pass, double) override { stop_ = stage == stage_ && pass == 1; }
  bool stop() override { return stop_; }

 private:
  int stage_;
  bool stop_ = false;
};

TEST_P(MethodContract, GoesOnFromACheckpointAsIfNothingHadHappened) {
  const auto clouds = testing::make_clouds(60, 4, 2, 17);
  const TrainingSet set{&clouds.inputs, clouds.rows, clouds.labels, 2};
  // The stages of a method that paces itself are shorter.
  const bool paces_itself = GetParam()->make(Settings(GetParam()->options))->paces_itself();
  const Training training{.stages = 4,
                          .passes = paces_itself ? 32 : 3,
                          .batch = 16,
                          .step = {},
                          .seed = 3,
                          .meta_batch = 5};
  const testing::TemporaryFolder folder;
  // Everything anew, as in another process.
  const auto run = [&](Observer* observer, CheckpointFile* file) {
    Mlp net({.inputs = 4, .hidden = {8, 8}, .classes = 2}, 5);
    const Pretraining before = pretrain(net, set, 3, training, nullptr, file);
    const auto method = GetParam()->make(Settings(GetParam()->options));
    const auto network = net.clone();
    TrainingSet known = set;
    known.pretraining = &before.history;
    const FitReport report = fit(*network, *method, known, training, observer, file);
    return std::pair(report, network->save());
  };
  const auto undisturbed = run(nullptr, nullptr);
  CheckpointFile file(folder.path() / "checkpoint", "this run");
  // Interrupted twice, unless the method makes no steps.
  const bool steps = !GetParam()->needs().network.constant;
  for (const int stage : steps ? std::vector{1, 2} : std::vector<int>()) {
    Interruption interruption(stage);
    EXPECT_TRUE(run(&interruption, &file).first.stopped);
    EXPECT_EQ(file.read()->stages, stage);
  }
  const auto resumed = run(nullptr, &file);
  const std::size_t stages = undisturbed.first.stages.size();
  EXPECT_GE(stages, 4U);
  EXPECT_EQ(file.read()->stages, static_cast<int>(stages));
  ASSERT_EQ(resumed.first.stages.size(), stages);
  for (std::size_t t = 0; t < stages; ++t) {
    EXPECT_EQ(resumed.first.stages[t].selected, undisturbed.first.stages[t].selected);
    EXPECT_EQ(resumed.first.stages[t].last_loss, undisturbed.first.stages[t].last_loss);
  }
  for (const auto& [name, tensor] : undisturbed.second)
    EXPECT_EQ(tensor.values, resumed.second.at(name).values) << name;
}

// A network with some of another's abilities.
class LimitedNetwork final : public Network {
 public:
  LimitedNetwork(std::unique_ptr<Network> inner, const Abilities& abilities)
      : inner_(std::move(inner)), abilities_(abilities) {}
  std::unique_ptr<Network> clone() const override {
    return std::make_unique<LimitedNetwork>(inner_->clone(), abilities_);
  }
  std::size_t classes() const override { return inner_->classes(); }
  Matrix logits(const Batch& batch) const override { return inner_->logits(batch); }
  void update(const Batch& batch, const Step& step, const LogitGradient& gradient) override {
    ++updates;
    inner_->update(batch, step, gradient);
  }
  State save() const override { return inner_->save(); }
  void load(const State& state) override { inner_->load(state); }
  Abilities abilities() const override { return abilities_; }
  Matrix sampled_logits(const Batch& batch, float dropout, std::uint64_t seed) const override {
    return abilities_.sampled_logits ? inner_->sampled_logits(batch, dropout, seed)
                                     : Network::sampled_logits(batch, dropout, seed);
  }
  Matrix features(const Batch& batch) const override {
    return abilities_.features ? inner_->features(batch) : Network::features(batch);
  }
  std::vector<float> weight_influence(const Trial& trial) const override {
    return abilities_.weight_influence ? inner_->weight_influence(trial)
                                       : Network::weight_influence(trial);
  }
  void answer_always(std::span<const float> logits) override {
    abilities_.constant ? inner_->answer_always(logits) : Network::answer_always(logits);
  }
  int updates = 0;

 private:
  std::unique_ptr<Network> inner_;
  Abilities abilities_;
};

TEST_P(MethodContract, RunsOnANetworkThatHasWhatItNeedsAndIsRefusedBeforeTrainingByOthers) {
  const auto clouds = testing::make_clouds(40, 4, 2, 17);
  const Mlp net({.inputs = 4, .hidden = {8}, .classes = 2}, 5);
  const auto method = GetParam()->make(Settings(GetParam()->options));
  const Training training{.passes = 2, .step = {}};
  const TrainingSet set{&clouds.inputs, clouds.rows, clouds.labels, 2};
  const Abilities needed = method->needs().network;
  LimitedNetwork enough(net.clone(), needed);
  EXPECT_NO_THROW(fit(enough, *method, set, training));
  if (!needed.constant) {
    EXPECT_GT(enough.updates, 0);
  }
  for (const auto ability : {&Abilities::sampled_logits, &Abilities::features,
                             &Abilities::weight_influence, &Abilities::constant}) {
    if (!(needed.*ability)) continue;
    Abilities less = needed;
    less.*ability = false;
    LimitedNetwork lacking(net.clone(), less);
    try {
      fit(lacking, *method, set, training);
      FAIL() << "not refused";
    } catch (const Error& error) {
      const std::string word = ability_names(missing_abilities(needed, less)).front();
      EXPECT_EQ(std::string(error.what()),
                "this method needs a network with " + word + ", which this network lacks");
    }
    EXPECT_EQ(lacking.updates, 0);
  }
}

TEST_P(MethodContract, LearnsMoreThanThePretrainingDid) {
  if (GetParam()->needs().network.constant) GTEST_SKIP() << "learns nothing from the rows' values";
  if (GetParam()->name == "uaspl_anti")
    GTEST_SKIP() << "is there to be worse: the hardest rows first leave many rows without evidence";
  const auto clouds = testing::make_clouds(200, 4, 3, 23);
  TrainingSet set{&clouds.inputs, clouds.rows, clouds.labels, 3};
  Mlp net({.inputs = 4, .hidden = {24, 16}, .classes = 3}, 5);
  const Training training{.passes = 60, .step = {}};
  const Pretraining pretraining = pretrain(net, set, 5, training);
  set.pretraining = &pretraining.history;
  const auto hits = [&](const Network& network) {
    const auto predicted = predicted_classes(network.logits(clouds.batch()));
    int count = 0;
    for (std::size_t i = 0; i < predicted.size(); ++i) count += predicted[i] == clouds.labels[i];
    return count;
  };
  const int before = hits(net);
  const auto method = GetParam()->make(Settings(GetParam()->options));
  fit(net, *method, set, training);
  EXPECT_GT(hits(net), before + 10);
}

// Those that go by stages; the others have a contract of their own (tests/train/learn_test.cpp).
std::vector<const MethodInfo*> all_methods() {
  std::vector<const MethodInfo*> all;
  for (const MethodInfo& info : methods())
    if (info.has_stages()) all.push_back(&info);
  return all;
}

INSTANTIATE_TEST_SUITE_P(Table, MethodContract, ::testing::ValuesIn(all_methods()),
                         [](const auto& one) { return std::string(one.param->name); });

// The same methods on networks for images. ResNet18 is slow: one pass a stage, once.
class ImageContract : public ::testing::TestWithParam<std::string> {};

TEST_P(ImageContract, EveryMethodRunsOnEveryNetwork) {
  UASPL_NEEDS_TORCH();
  const std::string& name = GetParam();
  const bool slow = name == "resnet18";
  const std::size_t n = slow ? 20 : 60;
  const auto images = testing::make_images(n, testing::small_shape(name), 3, 17);
  const Inputs inputs = testing::inputs_of(images);
  const std::vector<int> rows = testing::first_rows(n);
  const Training training{.passes = slow ? 1 : 2,
                          .batch = slow ? std::size_t{0} : std::size_t{16},
                          .step = {.rate = 0.01F},
                          .seed = 11};
  for (const MethodInfo& info : methods()) {
    if (!info.has_stages()) continue;
    SCOPED_TRACE(std::string(info.name));
    std::vector<State> states;
    for (int again = 0; again < (slow ? 1 : 2); ++again) {
      const auto net = testing::network_for(*images, name);
      const Outcome outcome = train(info, *net, {&inputs, rows, images->labels, 3}, training, 2);
      expect_sane(info, outcome, n);
      states.push_back(outcome.state);
    }
    testing::expect_same_bits(states.front(), states.back());
  }
}

INSTANTIATE_TEST_SUITE_P(Table, ImageContract, ::testing::Values("lenet", "resnet8", "resnet18"),
                         [](const auto& one) { return one.param; });

std::string error_of(const std::vector<std::string>& names,
                     const std::vector<std::string>& settings) {
  try {
    choose_methods(names, settings);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(CheckNeeds, RefusesToKeepAllRowsApart) {
  const auto clouds = testing::make_clouds(9, 4, 2, 17);
  const Mlp net({.inputs = 4, .hidden = {8}, .classes = 2}, 5);
  EXPECT_NO_THROW(check_needs({.meta_fraction = 0.9}, net, 10));
  EXPECT_THROW(check_needs({.meta_fraction = 0.9}, net, 9), Error);
  EXPECT_THROW(check_needs({.meta_fraction = 0.2}, net, 1), Error);
  EXPECT_NO_THROW(check_needs({.meta_fraction = 0.2}, net, 2));
  EXPECT_NO_THROW(check_needs({}, net, 1));
}

TEST(Registry, ChoosesByNameAndChecksOptions) {
  using List = std::vector<std::string>;
  EXPECT_EQ(choose_methods(List{"all", "spl"}).size(), methods().size());
  EXPECT_EQ(
      choose_methods(List{"uaspl_mixture"}, List{"uaspl_mixture.gamma=2.5"})[0].settings["gamma"],
      2.5);
  EXPECT_EQ(choose_methods(List{"uaspl"}, List{"uaspl.evidence=exp"})[0].settings["evidence"], 2.0);
  EXPECT_TRUE(error_of({"sp"}, {})
                  .starts_with("unknown method 'sp' (did you mean 'spl'?); known: direct, spl"));
  EXPECT_EQ(error_of({"spl"}, {"gamma=1"}), "'gamma=1' is not of the form METHOD.OPTION=VALUE");
  EXPECT_EQ(error_of({"uaspl"}, {"spl_mixture.gamma=1"}),
            "'spl_mixture.gamma=1' sets an option of a method that is not run");
  EXPECT_EQ(error_of({"uaspl"}, {"uaspl.gama=1"}), "unknown option 'gama'; known: evidence, beta");
  EXPECT_EQ(error_of({"uaspl"}, {"uaspl.evidence=tanh"}),
            "option evidence: 'tanh' is not one of relu, softplus, exp");
  EXPECT_EQ(error_of({"uaspl"}, {"uaspl.beta=nan"}),
            "option beta: 'nan' is not a number in 0..1000");
}

}  // namespace
}  // namespace uaspl
