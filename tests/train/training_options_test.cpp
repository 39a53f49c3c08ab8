// The options of training by name: what they take, and that each does what it says.
#include "uaspl/train/training_options.hpp"

#include <set>

#include "tests/models.hpp"
#include "uaspl/base/error.hpp"
#include "uaspl/train/train_model.hpp"

namespace uaspl {
namespace {

const TrainingOption& option(std::string_view name) {
  for (const TrainingOption& one : training_options())
    if (one.name == name) return one;
  throw std::invalid_argument("no such option");
}

ChosenMethod choose(const std::string& name) {
  return choose_methods(std::vector<std::string>{name}).front();
}

FitOptions small_fit() {
  return {.network = {"mlp", {7}},
          .pretraining = 6,
          .training = {.passes = 9, .stop_below = 0.0, .step = {}},
          .resources = {.threads = 1}};
}

FittedModel fitted(const std::string& method, const FitOptions& options) {
  const Dataset data = testing::small_set();
  return fit_model(data, rows_to_train_on(data, testing::first_rows(data.rows())), choose(method),
                   options);
}

// The weights of the model that a method gives.
std::vector<float> weights(const std::string& method, const FitOptions& options) {
  std::vector<float> all;
  const FittedModel result = fitted(method, options);
  for (const auto& [name, tensor] : result.model.members.front().weights)
    all.insert(all.end(), tensor.values.begin(), tensor.values.end());
  return all;
}

TEST(TrainingOptions, EachIsReadAndWritten) {
  std::set<std::string_view> names;
  for (const TrainingOption& one : training_options()) {
    EXPECT_TRUE(names.insert(one.name).second);
    FitOptions options;
    EXPECT_TRUE(one.takes(one.get(options))) << one.name << ": its default";
    for (const double value : {one.lowest, one.highest}) {
      ASSERT_TRUE(one.takes(value)) << one.name;
      one.set(options, value);
      EXPECT_EQ(one.get(options), value) << one.name;
      const std::optional<double> read = parse_value(one, one.text(options));
      ASSERT_TRUE(read) << one.name << " " << one.text(options);
      FitOptions again;
      one.set(again, *read);
      EXPECT_EQ(one.get(again), value) << one.name << " " << one.text(options);
      EXPECT_NO_THROW(check_options(options));
    }
    for (const char* bad : {"", "x", "-1", "nan", "inf", "1e400", "1 2", "0x1", "1e39"})
      EXPECT_FALSE(parse_value(one, bad)) << one.name << " " << bad;
  }
  EXPECT_EQ(parse_value(option("rate"), "0.25"), 0.25);
  for (const auto& [name, bad] :
       {std::pair("steps", "0"), std::pair("steps", "1.0"), std::pair("steps", "1e3"),
        std::pair("stages", "0"), std::pair("stages", "1001"), std::pair("rate", "0"),
        std::pair("first_share", "0"), std::pair("first_share", "1.01"),
        std::pair("share_step", "1.01"), std::pair("momentum", "1"), std::pair("decay", "1.5"),
        std::pair("batch", "0.5"), std::pair("carry_momentum", "1"),
        std::pair("pretraining", "1000001")})
    EXPECT_FALSE(parse_value(option(name), bad)) << name << " " << bad;
}

TEST(TrainingOptions, ValuesOfProgramsAreCheckedToo) {
  const auto error = [](const auto& change) -> std::string {
    FitOptions options = small_fit();
    change(options);
    try {
      fitted("spl", options);
    } catch (const Error& e) {
      return e.what();
    }
    return "no error";
  };
  EXPECT_EQ(error([](FitOptions& o) { o.training.stages = 0; }),
            "stages: expected a whole number in 1..1000, not 0");
  EXPECT_EQ(error([](FitOptions& o) { o.training.first_share = 1.5; }),
            "first_share: expected a number above 0 and at most 1, not 1.5");
  EXPECT_EQ(error([](FitOptions& o) { o.training.stop_below = std::nan(""); }),
            "stop_below: expected a finite number from 0, not nan");
  EXPECT_EQ(error([](FitOptions& o) { o.training.step.momentum = 1.0F; }),
            "momentum: expected a number from 0 and below 1, not 1");
  EXPECT_EQ(error([](FitOptions&) {}), "no error");
}

TEST(TrainingOptions, EachChangesWhatIsLearned) {
  const std::vector<float> usual = weights("spl", small_fit());
  EXPECT_EQ(weights("spl", small_fit()), usual);
  for (const auto& [name, value] :
       {std::pair("pretraining", 5.0), std::pair("steps", 8.0), std::pair("rate", 0.05),
        std::pair("stages", 5.0), std::pair("first_share", 0.5), std::pair("share_step", 0.1),
        std::pair("stop_below", 1e6), std::pair("momentum", 0.5), std::pair("decay", 0.1),
        std::pair("batch", 4.0), std::pair("carry_momentum", 1.0)}) {
    FitOptions options = small_fit();
    option(name).set(options, value);
    EXPECT_NE(weights("spl", options), usual) << name;
  }
}

// One stage with all rows and hard weights is no self-paced learning any more.
TEST(TrainingOptions, OneStageOfAllRowsIsTrainingOnAllRows) {
  FitOptions options = small_fit();
  options.training.stages = 1;
  EXPECT_NE(weights("spl", options), weights("direct", options));
  options.training.first_share = 1.0;
  EXPECT_EQ(weights("spl", options), weights("direct", options));
}

TEST(TrainingOptions, StagesGrowAsTheSharesSay) {
  FitOptions options = small_fit();
  options.training.stages = 4;
  options.training.first_share = 0.125;
  options.training.share_step = 0.25;
  std::vector<std::size_t> rows;
  const FitReport report = fitted("spl", options).report;
  for (const StageTrace& stage : report.stages) rows.push_back(stage.selected);
  EXPECT_EQ(rows, (std::vector<std::size_t>{5, 15, 25, 35}));
}

TEST(TrainingOptions, StopBelowEndsStagesAndZeroNever) {
  FitOptions options = small_fit();
  const auto passes = [&] {
    std::vector<int> all;
    const FitReport report = fitted("spl", options).report;
    for (const StageTrace& stage : report.stages) all.push_back(stage.passes);
    return all;
  };
  EXPECT_EQ(passes(), std::vector<int>(6, 9));
  options.training.stop_below = 1e6;
  EXPECT_EQ(passes(), std::vector<int>(6, 1));
}

// The pre-training is the same as `direct`: with its momentum, the stages go on as if there were no
// border between them.
TEST(TrainingOptions, WithItsMomentumThePretrainingGoesOn) {
  FitOptions options = small_fit();
  options.training.stages = 1;
  const std::vector<float> fresh = weights("direct", options);
  options.training.carry_momentum = true;
  const std::vector<float> carried = weights("direct", options);
  options.pretraining = 6 + 8;
  options.training.passes = 1;
  const std::vector<float> one_later = weights("direct", options);
  EXPECT_EQ(carried, one_later);
  EXPECT_NE(carried, fresh);
}

// As torch.optim.SGD has it: buf = 0.9 buf + g, so that the first step differs by the old buffer.
TEST(TrainingOptions, TheFirstStepAddsTheOldMomentum) {
  const Dataset data = testing::small_set();
  FitOptions options = small_fit();
  options.training.stages = 1;
  options.training.passes = 1;
  const auto step = [&](bool carry) {
    options.training.carry_momentum = carry;
    PreparedFit start(data, rows_to_train_on(data, testing::first_rows(data.rows())), options);
    EXPECT_TRUE(start.pretrain());
    return std::pair(start.fit(choose("uaspl")).network->save(),
                     start.pretrained().save_momentum());
  };
  const auto [fresh, momentum] = step(false);
  const auto carried = step(true).first;
  double largest = 0.0;
  for (const auto& [name, tensor] : fresh)
    for (std::size_t i = 0; i < tensor.values.size(); ++i) {
      const float old = momentum.at(name).values[i];
      EXPECT_NEAR(carried.at(name).values[i], tensor.values[i] - 0.1F * (0.9F * old), 1e-6F);
      largest = std::max(largest, std::abs(static_cast<double>(old)));
    }
  EXPECT_GT(largest, 1e-3);
}

TEST(TrainingOptions, ModelsNameWhatIsNotUsual) {
  FitOptions options = small_fit();
  options.training.stop_below = 1e-4;
  const auto about = [&] { return fitted("direct", options).model.configuration; };
  EXPECT_EQ(about(), (std::map<std::string, std::string>{{"pretraining", "6"},
                                                         {"stages", "6"},
                                                         {"steps", "9"},
                                                         {"batch", "0"},
                                                         {"rate", "0.1"},
                                                         {"momentum", "0.9"},
                                                         {"decay", "0.0005"}}));
  options.training.first_share = 0.3;
  options.training.share_step = 0.2;
  options.training.stop_below = 0.0;
  options.training.carry_momentum = true;
  options.training.naive_cross_entropy = true;
  auto all = about();
  EXPECT_EQ(all.size(), 12U);
  EXPECT_EQ(all["first_share"], "0.3");
  EXPECT_EQ(all["share_step"], "0.2");
  EXPECT_EQ(all["stop_below"], "0");
  EXPECT_EQ(all["carry_momentum"], "true");
  EXPECT_EQ(all["naive_cross_entropy"], "true");
}

// Where no row is far from its label, it is the same but for rounding, in every method.
TEST(TrainingOptions, TheNaiveCrossEntropyIsNearlyTheExactOne) {
  const Dataset data = testing::small_set();
  FitOptions options = small_fit();
  options.training.step.rate = 0.01F;
  const auto report = [&](const MethodInfo& info, bool naive) {
    options.training.naive_cross_entropy = naive;
    const TrainingRows rows = rows_to_train_on(data, testing::first_rows(data.rows()));
    return fit_model(data, rows, {&info, Settings(info.options)}, options).report;
  };
  for (const MethodInfo& info : methods()) {
    if (!info.has_stages() || info.needs().network.constant) continue;
    const FitReport exact = report(info, false);
    const FitReport naive = report(info, true);
    EXPECT_NEAR(naive.stages[0].first_loss, exact.stages[0].first_loss,
                1e-4 * (1.0 + std::abs(exact.stages[0].first_loss)))
        << info.name;
    EXPECT_FALSE(naive.diverged) << info.name;
  }
}

// A rate that throws rows far to the wrong side: the exact loss is finite, the naive one is not.
TEST(TrainingOptions, TheNaiveCrossEntropyBreaksWhereRowsAreFar) {
  FitOptions options = small_fit();
  options.pretraining = 0;
  options.training.step.rate = 15.0F;
  options.training.step.decay = 0.0F;
  for (const char* method : {"direct", "spl_linear", "mc_mi", "dihcl"}) {
    options.training.naive_cross_entropy = false;
    EXPECT_FALSE(fitted(method, options).report.diverged) << method;
    options.training.naive_cross_entropy = true;
    EXPECT_TRUE(fitted(method, options).report.diverged) << method;
  }
}

}  // namespace
}  // namespace uaspl
