// What every method of the table must keep; a new line in the table is covered at once.
#include <cmath>
#include <set>

#include "tests/support.hpp"
#include "uaspl/base/error.hpp"
#include "uaspl/method/pace.hpp"
#include "uaspl/method/registry.hpp"
#include "uaspl/net/mlp.hpp"
#include "uaspl/train/metrics.hpp"
#include "uaspl/train/trainer.hpp"

namespace uaspl {
namespace {

// Records the plans of a fit.
class PlanRecorder final : public Observer {
 public:
  void on_stage_start(const Stage&, const Probe&, const Plan& plan) override {
    plans.push_back(plan);
  }
  void on_pass(int, int, double loss) override { finite = finite && std::isfinite(loss); }
  std::vector<Plan> plans;
  bool finite = true;
};

struct Outcome {
  PlanRecorder recorder;
  FitReport report;
  State state;
};

Outcome run(const MethodInfo& info, std::size_t n, std::size_t classes, std::size_t threads = 1) {
  const auto clouds = testing::make_clouds(n, 4, classes, 17);
  Mlp net(clouds.inputs, {.inputs = 4, .hidden = {24, 16}, .classes = classes}, 5,
          threads > 1 ? std::make_shared<Workers>(threads) : nullptr);
  const TrainingSet set{clouds.rows, clouds.labels, classes};
  const Training training{.passes = 12, .step = {}};
  pretrain(net, set, 5, training);
  const auto network = net.clone();
  const auto method = info.make(Settings(info.options));
  Outcome outcome;
  outcome.report = fit(*network, *method, set, training, &outcome.recorder);
  outcome.state = network->save();
  return outcome;
}

class MethodContract : public ::testing::TestWithParam<const MethodInfo*> {};

TEST_P(MethodContract, TakesTheRightRowsWithSaneWeights) {
  for (const std::size_t classes : {2U, 3U, 10U}) {
    constexpr std::size_t kRows = 130;
    const Outcome outcome = run(*GetParam(), kRows, classes);
    ASSERT_EQ(outcome.recorder.plans.size(), 6U);
    EXPECT_TRUE(outcome.recorder.finite);
    EXPECT_FALSE(outcome.report.diverged);
    for (int t = 0; t < 6; ++t) {
      const Plan& plan = outcome.recorder.plans[static_cast<std::size_t>(t)];
      const bool paced = GetParam()->selects_rows;
      EXPECT_EQ(plan.rows.size(), paced ? stage_rows(stage_share(t), kRows) : kRows);
      EXPECT_EQ(plan.rows.size(), plan.weights.size());
      EXPECT_EQ(outcome.report.stages[static_cast<std::size_t>(t)].selected, plan.rows.size());
      EXPECT_TRUE(std::ranges::is_sorted(plan.rows));
      EXPECT_EQ(std::set<int>(plan.rows.begin(), plan.rows.end()).size(), plan.rows.size());
      EXPECT_TRUE(plan.rows.front() >= 0 && plan.rows.back() < static_cast<int>(kRows));
      for (const float w : plan.weights) EXPECT_TRUE(w >= 0.0F && w <= 1.0F);
    }
    EXPECT_EQ(outcome.recorder.plans.back().rows.size(), kRows);
  }
}

TEST_P(MethodContract, GivesTheSameResultTwiceAndOnAnyNumberOfThreads) {
  const Outcome first = run(*GetParam(), 230, 3);
  for (const std::size_t threads : {1U, 2U, 3U}) {
    const Outcome again = run(*GetParam(), 230, 3, threads);
    for (const auto& [name, tensor] : first.state) {
      EXPECT_EQ(tensor.values, again.state.at(name).values) << name;
    }
  }
}

TEST_P(MethodContract, ManagesTinyDataSets) {
  for (const std::size_t n : {2U, 3U, 7U}) {
    const Outcome outcome = run(*GetParam(), n, 2);
    EXPECT_TRUE(outcome.recorder.finite);
    EXPECT_EQ(outcome.recorder.plans.back().rows.size(), n);
  }
}

TEST_P(MethodContract, LearnsMoreThanThePretrainingDid) {
  const auto clouds = testing::make_clouds(200, 4, 3, 23);
  const TrainingSet set{clouds.rows, clouds.labels, 3};
  Mlp net(clouds.inputs, {.inputs = 4, .hidden = {24, 16}, .classes = 3}, 5);
  const Training training{.passes = 60, .step = {}};
  pretrain(net, set, 5, training);
  const auto hits = [&](const Network& network) {
    const auto predicted = predicted_classes(network.logits({clouds.rows}));
    int count = 0;
    for (std::size_t i = 0; i < predicted.size(); ++i) count += predicted[i] == clouds.labels[i];
    return count;
  };
  const int before = hits(net);
  const auto method = GetParam()->make(Settings(GetParam()->options));
  fit(net, *method, set, training);
  EXPECT_GT(hits(net), before + 10);
}

std::vector<const MethodInfo*> all_methods() {
  std::vector<const MethodInfo*> all;
  for (const MethodInfo& info : methods()) all.push_back(&info);
  return all;
}

INSTANTIATE_TEST_SUITE_P(Table, MethodContract, ::testing::ValuesIn(all_methods()),
                         [](const auto& one) { return std::string(one.param->name); });

std::string error_of(const std::vector<std::string>& names,
                     const std::vector<std::string>& settings) {
  try {
    choose_methods(names, settings);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(Registry, ChoosesByNameAndChecksOptions) {
  using List = std::vector<std::string>;
  EXPECT_EQ(choose_methods(List{"all", "spl"}).size(), methods().size());
  EXPECT_EQ(
      choose_methods(List{"uaspl_mixture"}, List{"uaspl_mixture.gamma=2.5"})[0].settings["gamma"],
      2.5);
  EXPECT_EQ(choose_methods(List{"uaspl"}, List{"uaspl.evidence=exp"})[0].settings["evidence"], 2.0);
  EXPECT_TRUE(error_of({"sp"}, {}).starts_with("unknown method 'sp'; known: direct, spl"));
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
