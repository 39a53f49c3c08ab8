// Grids: the order of results, the same results for any number of jobs, cancelling, failing.
#include <algorithm>
#include <cmath>

#include "tests/support.hpp"
#include "uaspl/base/error.hpp"
#include "uaspl/study/grid.hpp"
#include "uaspl/study/study.hpp"

namespace uaspl {
namespace {

// One hidden layer of that width, and so many passes a stage.
ExperimentOptions small_options(std::size_t width, int passes) {
  ExperimentOptions options;
  options.fit.network.hidden = {width};
  options.fit.training.passes = passes;
  return options;
}

struct GridTest : ::testing::Test {
  std::vector<Dataset> datasets{testing::cloud_set("small", 30), testing::cloud_set("large", 70)};
  std::vector<ChosenMethod> chosen =
      choose_methods(std::vector<std::string>{"direct", "uaspl_linear"});
  Grid grid{.datasets = datasets,
            .methods = chosen,
            .first_seed = 7,
            .runs = 3,
            .variants = {small_options(16, 10)}};
  std::atomic<bool> cancel{false};

  std::vector<RunRecord> run(std::size_t jobs) {
    std::vector<RunRecord> results(grid.size());
    run_grid(
        grid,
        {.on_finished = [&](const Finished& one) { results[one.index] = one.run; }, .jobs = jobs},
        cancel);
    return results;
  }
};

TEST_F(GridTest, ResultsHaveTheirPlaceAndDoNotDependOnTheJobs) {
  const auto one = run(1);
  ASSERT_EQ(one.size(), 12U);
  EXPECT_EQ(one[0].key.dataset, "small");
  EXPECT_EQ(one[0].key.method, "direct");
  EXPECT_EQ(one[1].key.seed, 8U);
  EXPECT_EQ(one[3].key.method, "uaspl_linear");
  EXPECT_EQ(one[6].key.dataset, "large");
  const auto many = run(4);
  for (std::size_t i = 0; i < one.size(); ++i) {
    EXPECT_EQ(one[i].key.dataset, many[i].key.dataset);
    EXPECT_EQ(one[i].key.method, many[i].key.method);
    EXPECT_EQ(one[i].key.seed, many[i].key.seed);
    EXPECT_EQ(one[i].metrics.accuracy, many[i].metrics.accuracy);
    EXPECT_EQ(one[i].metrics.f1, many[i].metrics.f1);
    EXPECT_EQ(one[i].stages.back().last_loss, many[i].stages.back().last_loss);
  }
}

TEST_F(GridTest, AMethodsResultDoesNotDependOnTheMethodsBesideIt) {
  const auto both = run(1);
  chosen.erase(chosen.begin());
  grid.methods = chosen;
  const auto alone = run(1);
  ASSERT_EQ(alone[0].key.method, "uaspl_linear");
  EXPECT_EQ(alone[0].stages.back().last_loss, both[3].stages.back().last_loss);
}

// What is kept beside a run changes nothing of it, and agrees with it.
TEST_F(GridTest, PredictionsAndCurvesAreOfTheSameRun) {
  const auto plain = run(1);
  grid.variants[0].keep_predictions = grid.variants[0].curves = true;
  const auto whole = run(2);
  for (std::size_t i = 0; i < plain.size(); ++i) {
    const RunRecord& one = whole[i];
    EXPECT_EQ(one.key, plain[i].key);
    EXPECT_EQ(one.metrics.f1, plain[i].metrics.f1);
    EXPECT_EQ(one.calibration.brier, plain[i].calibration.brier);
    EXPECT_EQ(one.stages.back().last_loss, plain[i].stages.back().last_loss);
    EXPECT_GE(one.inference_seconds, 0.0);
    EXPECT_LE(one.inference_seconds, one.seconds);
    EXPECT_EQ(one.parts, (RunParts{false, true, true}));
    EXPECT_EQ(plain[i].parts, RunParts{});
    EXPECT_TRUE(plain[i].predictions.empty() && plain[i].passes.empty());
    std::size_t right = 0;
    for (const PredictionRecord& row : one.predictions) {
      EXPECT_EQ(row.probabilities.at(static_cast<std::size_t>(row.predicted)),
                std::ranges::max(row.probabilities));
      right += row.predicted == row.label ? 1 : 0;
    }
    EXPECT_EQ(static_cast<double>(right) / static_cast<double>(one.predictions.size()),
              one.metrics.accuracy);
    std::size_t passes = 0;
    for (const StageRecord& stage : one.stages) {
      passes += static_cast<std::size_t>(stage.passes);
      const PassRecord& last = one.passes.at(passes - 1);
      EXPECT_EQ(last.stage, stage.stage);
      EXPECT_EQ(last.pass + 1, stage.passes);
      EXPECT_EQ(last.loss, stage.last_loss);
      EXPECT_EQ(last.test_accuracy, stage.test_accuracy);
      EXPECT_EQ(last.train_accuracy, stage.train_accuracy);
    }
    EXPECT_EQ(one.passes.size(), passes);
  }
}

TEST_F(GridTest, ACancelledGridKeepsWhatIsFinished) {
  std::vector<double> shares;
  run_grid(grid,
           {.on_finished =
                [&](const Finished& one) {
                  shares.push_back(one.share_of_work);
                  cancel = one.finished >= 5;
                }},
           cancel);
  EXPECT_EQ(shares.size(), 5U);
  EXPECT_TRUE(std::ranges::is_sorted(shares));
  EXPECT_LT(shares.back(), 1.0);
}

TEST_F(GridTest, AnErrorNamesTheDataSet) {
  datasets[0] = testing::cloud_set("lonely", 1);
  grid.datasets = datasets;
  try {
    run(2);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()),
              "lonely: split: 1 row(s) leave nothing to train or to test on");
  }
}

TEST(PreparedRun, MethodsShareWhatDependsOnTheRowsAlone) {
  const Dataset data = testing::cloud_set("shared", 60);
  const PreparedRun prepared(data, 3, small_options(8, 3));
  const auto chosen = choose_methods(std::vector<std::string>{"clu1", "wsplbf1", "clu2"});
  prepared.run(chosen[0]);
  const TrainingSet set = prepared.start().training_set();
  const Probe probe(prepared.start().pretrained(), set);
  int computed = 0;
  const auto compute = [&] {
    ++computed;
    return DoubleMatrix(1, 1);
  };
  EXPECT_EQ(probe.once("eknn 4", 2, compute)->rows(), 30U);  // clu1 left it there for wsplbf1
  EXPECT_EQ(computed, 0);
  EXPECT_EQ(probe.once("ecm", 1, compute)->rows(), 1U);
  probe.once("ecm", 1, compute);
  EXPECT_EQ(computed, 1);
  EXPECT_THROW(probe.once("ecm", 2, compute), Error);  // of another run
  // What is shared changes no result.
  const PreparedRun alone(data, 3, small_options(8, 3));
  EXPECT_EQ(prepared.run(chosen[1])->stages.back().last_loss,
            alone.run(chosen[1])->stages.back().last_loss);
}

TEST(PreparedRun, IsJudgedByItsProbabilitiesToo) {
  const Dataset data = testing::cloud_set("judged", 60);
  const PreparedRun prepared(data, 3, small_options(8, 20));
  for (const char* name : {"spl", "uaspl"}) {
    const ChosenMethod method = choose_methods(std::vector<std::string>{name})[0];
    const RunRecord run = prepared.run(method).value();
    const Evaluation whole = prepared.start().evaluate(prepared.start().fit(method));
    EXPECT_TRUE(run.is_judged());
    EXPECT_EQ(run.metrics.accuracy, whole.metrics.accuracy);
    EXPECT_EQ(run.metrics.f1, whole.metrics.f1);
    EXPECT_EQ(run.calibration.log_loss, whole.log_loss);
    EXPECT_GT(run.calibration.brier, 0.0);
    EXPECT_LT(run.calibration.ece, 1.0);
    EXPECT_EQ(run.predicted_classes, 2U);
    EXPECT_EQ(run.majority, majority_share(prepared.start().rows().test_labels));
    EXPECT_GE(run.class_ratio, 1.0);
    EXPECT_GT(run.stages.back().train_accuracy, 0.5);
  }
}

// As in PyTorch, the first NaN is the largest output: the run ends, and its answers are the first
// class.
TEST(PreparedRun, GoesOnWithoutNumbersAndIsScoredAsOfTheFirstClass) {
  const Dataset data = testing::cloud_set("lost", 60);
  ExperimentOptions options = small_options(8, 3);
  options.fit.training.step.rate = 1e38F;
  const PreparedRun prepared(data, 3, options);
  const std::vector<int>& truth = prepared.start().rows().test_labels;
  const std::vector<int> first_class(truth.size(), 0);
  const Metrics expected = score(truth, first_class);
  ASSERT_GT(expected.accuracy, 0.0);
  for (const char* name : {"direct", "spl", "uaspl"}) {
    const ChosenMethod method = choose_methods(std::vector<std::string>{name})[0];
    const FittedNetwork fitted = prepared.start().fit(method);
    ASSERT_TRUE(std::isnan(fitted.network->logits(
        {prepared.start().inputs(), prepared.start().rows().split.test})(0, 0)));
    const RunRecord run = prepared.run(method).value();
    EXPECT_TRUE(run.diverged) << name;
    EXPECT_EQ(run.metrics.accuracy, expected.accuracy) << name;
    EXPECT_EQ(run.metrics.precision, expected.precision) << name;
    EXPECT_EQ(run.metrics.f1, expected.f1) << name;
    EXPECT_EQ(run.stages.back().test_accuracy, expected.accuracy) << name;
    EXPECT_EQ(run.predicted_classes, 1U) << name;
    EXPECT_TRUE(std::isnan(run.calibration.log_loss)) << name;
    // Whoever uses the model is not told a class.
    EXPECT_EQ(prepared.start().evaluate(fitted).unanswered, truth.size()) << name;
  }
}

TEST(PreparedRun, AMethodThatCannotRunIsNamed) {
  const Dataset data = testing::cloud_set("two", 2);  // one row to train on
  const PreparedRun prepared(data, 3, small_options(8, 3));
  try {
    prepared.run(choose_methods(std::vector<std::string>{"mw_net"})[0]);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()),
              "mw_net keeps 1 of 1 training rows apart, which leaves none");
  }
}

TEST(PreparedRun, AClassMissingFromTheTrainingHalfCountsAsWrong) {
  Dataset data = testing::cloud_set("rare", 40);
  const Split split = train_test_split(40, 0.5, 3);
  data.labels[static_cast<std::size_t>(split.test[0])] = 2;  // only there
  const PreparedRun prepared(data, 3, small_options(8, 150));
  EXPECT_EQ(prepared.start().training_set().classes, 2U);
  EXPECT_LE(prepared.start().test(prepared.start().pretrained()).accuracy, 19.0 / 20.0);
}

}  // namespace
}  // namespace uaspl
