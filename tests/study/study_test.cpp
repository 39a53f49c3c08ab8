// The studies that are part of the program name what there is.
#include "uaspl/study/study.hpp"

#include "tests/support.hpp"
#include "uaspl/base/error.hpp"
#include "uaspl/data/table/known_tables.hpp"
#include "uaspl/report/markdown.hpp"
#include "uaspl/train/training_options.hpp"

namespace uaspl {
namespace {

TEST(Studies, NameMethodsThatThereAre) {
  for (const Study& study : studies()) {
    EXPECT_EQ(choose_methods(study.methods).size(), study.methods.size()) << study.name;
    EXPECT_FALSE(study.variants.empty());
  }
  EXPECT_EQ(find_study("table-main").methods.size(), 16U);
  EXPECT_EQ(find_study("table-linear").methods.size(), 15U);
  EXPECT_EQ(find_study("table-linear").methods.back(), "uaspl_linear");
  EXPECT_EQ(find_study("table-mixture").methods.size(), 15U);
  EXPECT_EQ(find_study("noise").variants.size(), 11U);  // no noise; five kinds, two pre-trainings
  EXPECT_EQ(find_study("pretraining").variants.size(), 7U);
  EXPECT_THROW(find_study("table-mane"), UnknownName);
  for (const Study& study : studies()) EXPECT_NO_THROW(check_sections(study.show)) << study.name;
  EXPECT_EQ(parse_study(plan_text("noise"), "x").methods, find_study("noise").methods);
}

// A plan for a table, with further entries.
Study plan(const std::string& entries) {
  return parse_study(R"({"datasets": "wine", "methods": "spl")" + entries + "}", "own");
}

std::string error_of(const std::string& text) {
  try {
    parse_study(text, "own");
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(Plans, EveryTrainingOptionIsAnEntryWithOneValueOrSeveral) {
  for (const TrainingOption& option : training_options()) {
    const bool flag = option.kind == TrainingOption::Kind::kFlag;
    const std::string one = flag ? "true" : "1";
    const std::string name(option.name);
    const double expected = name == "momentum" ? 0.5 : 1.0;
    const std::string value = name == "momentum" ? "0.5" : one;
    const Study single = plan(", \"" + name + "\": " + value);
    ASSERT_EQ(single.variants.size(), 1U) << name;
    EXPECT_EQ(option.get(single.variants[0].fit), expected) << name;
    const std::string other = flag ? "false" : name == "momentum" ? "0.25" : "1";
    const Study both = plan(", \"" + name + "\": [" + value + ", " + other + ", " + value + "]");
    EXPECT_EQ(both.variants.size(), flag || name == "momentum" ? 2U : 1U) << name;
  }
  const Study study =
      plan(R"(, "stages": [3, 6], "rate": [0.1, 0.2], "noise": ["none", "flip1:0.1"],
                              "clean_pretraining": [false, true])");
  EXPECT_EQ(study.variants.size(), 2U * 2U * 3U);  // without noise, it cannot come later
  EXPECT_EQ(study.variants[0].fit.training.stages, 3);
}

TEST(Plans, AWrongEntryIsNamedWithWhatWasMeant) {
  EXPECT_TRUE(error_of("{\"datasets\": \"wine\",\n  \"method\" : \"spl\"}")
                  .starts_with("own:2: unknown entry 'method' (did you mean 'methods'?); known: "));
  EXPECT_TRUE(error_of("{\"m\\u0065thod\": 1}").starts_with("own: unknown entry 'method'"));
  EXPECT_TRUE(error_of("{\"a\\nb\": 1}").starts_with("own: unknown entry 'a\\nb'; known: "));
  const auto with = [](const std::string& entries) {
    return error_of("{\"datasets\": \"wine\",\n\"methods\": [\"spl\", \"uaspl\"],\n" + entries +
                    "}");
  };
  for (const auto& [entries, message] : std::initializer_list<std::pair<std::string, std::string>>{
           {R"("stages": 0)", "own:3: stages: expected a whole number in 1..1000, not 0"},
           {R"("stages": [3, 2.5])", "own:3: stages: expected a whole number in 1..1000, not 2.5"},
           {R"("steps": "7")", "own:3: steps: expected a whole number in 1..1000000, not \"7\""},
           {R"("first_share": 0)",
            "own:3: first_share: expected a number above 0 and at most 1, not 0"},
           {R"("share_step": [0, 2])", "own:3: share_step: expected a number in 0..1, not 2"},
           {R"("stop_below": -1)", "own:3: stop_below: expected a finite number from 0, not -1"},
           {R"("momentum": 1)", "own:3: momentum: expected a number from 0 and below 1, not 1"},
           {R"("carry_momentum": 1)", "own:3: carry_momentum: expected true or false, not 1"},
           {R"("noise": ["none", "unifrom:0.2"])",
            "own:3: noise: unknown label noise 'unifrom' (did you mean 'uniform'?); known: "
            "uniform, "
            "asymmetric, flip1, flip2"},
           {R"("set": "uaspl.bata=2")",
            "own:3: set: unknown option 'bata' (did you mean 'beta'?); known: "
            "evidence, beta"},
           {R"("runs": 0)", "own:3: runs: expected whole numbers in 1..1000000, not 0"}})
    EXPECT_EQ(with(entries), message);
  EXPECT_TRUE(error_of(R"({"datasets": "wine", "methods": ["spl", "uaspll"]})")
                  .starts_with("own:1: methods: unknown method 'uaspll' (did you mean 'uaspl'?)"));
}

TEST(Plans, TooManyCombinationsAreRefused) {
  std::string values = "1";
  for (int i = 2; i <= 200; ++i) values += ", " + std::to_string(i);
  EXPECT_EQ(plan(", \"steps\": [" + values + "]").variants.size(), 200U);
  EXPECT_EQ(error_of(R"({"datasets": "wine", "methods": "spl", "steps": [)" + values +
                     R"(], "pretraining": [)" + values + "]}"),
            "own:1: steps: more than 10000 combinations of conditions");
}

TEST(Studies, ClassWeightsAreConditions) {
  const std::string start =
      R"({"datasets": "iris", "methods": "spl", "noise": ["none", "uniform:0.2"])";
  const Study study =
      parse_study(start + R"(, "class_weight": ["none", "balanced", "b=2,a=3"]})", "plan");
  ASSERT_EQ(study.variants.size(), 6U);
  EXPECT_EQ(study.variants[0].fit.class_weights.text(), "");
  EXPECT_EQ(study.variants[1].fit.class_weights.text(), "balanced");
  EXPECT_EQ(study.variants[5].fit.class_weights.text(), "a=3,b=2");
  EXPECT_EQ(parse_study(start + "}", "plan").variants.size(), 2U);
  try {
    parse_study(start + R"(, "class_weight": "heavy"})", "plan");
    FAIL() << "not refused";
  } catch (const Error& error) {
    EXPECT_TRUE(std::string(error.what())
                    .starts_with("plan:1: class_weight: expected `none`, `balanced` or "));
  }
}

TEST(Studies, WithFirstWeightsPretrainOnlyIfTheySaySo) {
  const std::string rest = R"("datasets": "iris", "methods": "spl")";
  const auto pretrainings = [&](const std::string& entries) {
    const Study study = parse_study("{" + entries + rest + "}", "x");
    std::vector<int> all;
    for (const ExperimentOptions& one : study.variants) all.push_back(one.fit.pretraining);
    return std::pair(study.start, all);
  };
  using Found = std::pair<std::string, std::vector<int>>;
  EXPECT_EQ(pretrainings(""), (Found{"", {20}}));
  EXPECT_EQ(pretrainings(R"("start": "w.safetensors",)"), (Found{"w.safetensors", {0}}));
  EXPECT_EQ(pretrainings(R"("start": "w", "pretraining": [0, 20],)"), (Found{"w", {0, 20}}));
  EXPECT_THROW(pretrainings(R"("start": 5,)"), Error);
}

}  // namespace
}  // namespace uaspl
