// What a run is known by: equal for equal work, different where anything decides the result, and
// found again by the study that asks for it.
#include "uaspl/study/run_key.hpp"

#include <functional>
#include <set>

#include "tests/support.hpp"
#include "uaspl/study/run_filter.hpp"
#include "uaspl/study/study.hpp"
#include "uaspl/train/training_options.hpp"

namespace uaspl {
namespace {

ChosenMethod choose(const std::string& name, const std::vector<std::string>& settings = {}) {
  return choose_methods(std::vector<std::string>{name}, settings).front();
}

const DatasetId kTable{"wine", "the content of wine"};

// Every option that decides the result of a run on a table.
const std::vector<std::function<void(ExperimentOptions&)>> kTableChanges = {
    [](ExperimentOptions& o) { o.fit.network.hidden = {128}; },
    [](ExperimentOptions& o) { o.fit.pretraining = 21; },
    [](ExperimentOptions& o) {
      o.fit.start = std::make_shared<const StartWeights>(StartWeights{"a file", "a sum", {}});
    },
    [](ExperimentOptions& o) { o.fit.training.stages = 5; },
    [](ExperimentOptions& o) { o.fit.training.first_share = 0.3; },
    [](ExperimentOptions& o) { o.fit.training.share_step = 0.1; },
    [](ExperimentOptions& o) { o.fit.training.passes = 149; },
    [](ExperimentOptions& o) { o.fit.training.batch = 32; },
    [](ExperimentOptions& o) { o.fit.training.stop_below = 0.0; },
    [](ExperimentOptions& o) { o.fit.training.step.rate = 0.2F; },
    [](ExperimentOptions& o) { o.fit.training.step.momentum = 0.8F; },
    [](ExperimentOptions& o) { o.fit.training.step.decay = 0.0F; },
    [](ExperimentOptions& o) { o.fit.training.step.dropout = 0.1F; },
    [](ExperimentOptions& o) { o.fit.training.rate_falls = {3}; },
    [](ExperimentOptions& o) { o.fit.training.augmented = true; },
    [](ExperimentOptions& o) { o.fit.training.meta_of_class = 7; },
    [](ExperimentOptions& o) { o.fit.training.meta_batch = 7; },
    [](ExperimentOptions& o) { o.fit.training.carry_momentum = true; },
    [](ExperimentOptions& o) { o.fit.training.naive_cross_entropy = true; },
    [](ExperimentOptions& o) { o.rows.test_fraction = 0.4; },
    [](ExperimentOptions& o) { o.fit.class_weights.balanced = true; },
    [](ExperimentOptions& o) {
      o.fit.class_weights.of = {{"rare", 5.0}};
    },
    [](ExperimentOptions& o) {
      o.rows.noise = {NoiseKind::kUniform, 0.2};
    },
    [](ExperimentOptions& o) {
      o.rows.noise = {NoiseKind::kUniform, 0.4};
    },
    [](ExperimentOptions& o) {
      o.rows.noise = {NoiseKind::kFlip1, 0.2};
    },
    [](ExperimentOptions& o) {
      o.rows.noise = {NoiseKind::kFlip1, 0.2};
      o.rows.clean_pretraining = true;
    },
};

// Those of a run on images.
const std::vector<std::function<void(ExperimentOptions&)>> kImageChanges = {
    [](ExperimentOptions& o) { o.fit.network.name = "resnet8"; },
    [](ExperimentOptions& o) { o.fit.pretraining = 4; },
    [](ExperimentOptions& o) { o.fit.training.passes = 14; },
    [](ExperimentOptions& o) { o.fit.training.batch = 32; },
    [](ExperimentOptions& o) { o.fit.training.step.rate = 0.05F; },
    [](ExperimentOptions& o) { o.fit.training.rate_falls = {}; },
    [](ExperimentOptions& o) { o.fit.training.augmented = false; },
    [](ExperimentOptions& o) { o.fit.training.meta_of_class = 10; },
    [](ExperimentOptions& o) { o.fit.training.meta_batch = 10; },
    [](ExperimentOptions& o) { o.rows.imbalance = 100.0; },
    [](ExperimentOptions& o) {
      o.rows.noise = {NoiseKind::kFlip2, 0.4};
    },
    [](ExperimentOptions& o) { o.fit.class_weights.balanced = true; },
    [](ExperimentOptions& o) { o.limit = 2000; },
    [](ExperimentOptions& o) { o.test_limit = 1000; },
    [](ExperimentOptions& o) { o.fit.training.stages = 4; },
    [](ExperimentOptions& o) { o.fit.training.first_share = 1.0; },
    [](ExperimentOptions& o) { o.fit.training.share_step = 0.0; },
    [](ExperimentOptions& o) { o.fit.training.stop_below = 1e-4; },
    [](ExperimentOptions& o) { o.fit.training.step.momentum = 0.0F; },
    [](ExperimentOptions& o) { o.fit.training.step.decay = 0.0F; },
    [](ExperimentOptions& o) { o.fit.training.carry_momentum = true; },
    [](ExperimentOptions& o) { o.fit.training.naive_cross_entropy = true; },
};

void expect_all_different(const ExperimentOptions& usual,
                          std::span<const std::function<void(ExperimentOptions&)>> changes) {
  std::set<std::string> configurations{run_key(kTable, choose("spl"), usual, 1).configuration};
  std::set<std::string> pretrainings{run_text(pretraining_key(kTable, usual, 1))};
  for (std::size_t i = 0; i < changes.size(); ++i) {
    ExperimentOptions other = usual;
    changes[i](other);
    EXPECT_TRUE(
        configurations.insert(run_key(kTable, choose("spl"), other, 1).configuration).second)
        << "change " << i << " gives the configuration of another";
    EXPECT_TRUE(pretrainings.insert(run_text(pretraining_key(kTable, other, 1))).second)
        << "change " << i << " gives the pre-training of another";
  }
}

TEST(RunKey, EveryOptionThatDecidesAResultChangesIt) {
  expect_all_different({}, kTableChanges);
  expect_all_different(image_protocol(find_image_profile("full")), kImageChanges);
}

// What can be chosen by name decides results, so that all of it belongs to a run's identity.
TEST(RunKey, EveryTrainingOptionChangesIt) {
  for (ExperimentOptions usual :
       {ExperimentOptions(), image_protocol(find_image_profile("full"))}) {
    std::set<std::string> seen{run_key(kTable, choose("spl"), usual, 1).configuration};
    for (const TrainingOption& option : training_options()) {
      ExperimentOptions other = usual;
      option.set(other.fit,
                 option.get(usual.fit) == option.highest ? option.lowest : option.highest);
      EXPECT_TRUE(seen.insert(run_key(kTable, choose("spl"), other, 1).configuration).second)
          << option.name;
    }
  }
}

TEST(RunKey, WithoutPretrainingThereIsNoMomentumToCarryOver) {
  ExperimentOptions options;
  options.fit.pretraining = 0;
  const RunKey usual = run_key(kTable, choose("spl"), options, 1);
  options.fit.training.carry_momentum = true;
  EXPECT_EQ(run_key(kTable, choose("spl"), options, 1), usual);
}

TEST(RunKey, DataMethodOptionsOfTheMethodAndSeedChangeItToo) {
  const RunKey usual = run_key(kTable, choose("uaspl"), {}, 1);
  EXPECT_EQ(usual, run_key(kTable, choose("uaspl"), {}, 1));
  EXPECT_NE(usual, run_key({"iris", kTable.content}, choose("uaspl"), {}, 1));
  EXPECT_NE(usual, run_key({"wine", "another content"}, choose("uaspl"), {}, 1));
  EXPECT_NE(usual, run_key(kTable, choose("spl"), {}, 1));
  EXPECT_NE(usual, run_key(kTable, choose("uaspl", {"uaspl.beta=2"}), {}, 1));
  EXPECT_NE(usual, run_key(kTable, choose("uaspl"), {}, 2));
  // Said or not, the usual value is the same run.
  EXPECT_EQ(usual, run_key(kTable, choose("uaspl", {"uaspl.beta=1"}), {}, 1));
}

TEST(RunKey, WhatDecidesNothingChangesNothing) {
  ExperimentOptions options;
  options.fit.resources.threads = 8;
  options.fit.resources.device = "cuda";
  options.fit.seed = 99;  // the run has its own
  options.fit.training.seed = 98;
  options.trace = true;
  options.checkpoints = "somewhere";
  EXPECT_EQ(run_key(kTable, choose("uaspl"), options, 1), run_key(kTable, choose("uaspl"), {}, 1));
  EXPECT_EQ(pretraining_key(kTable, options, 1), pretraining_key(kTable, {}, 1));
}

TEST(RunKey, FirstWeightsAreKnownByTheContentOfTheirFile) {
  const auto key = [](const std::string& file, const std::string& sum) {
    ExperimentOptions options;
    options.fit.start = std::make_shared<const StartWeights>(StartWeights{file, sum, {}});
    return run_key(kTable, choose("uaspl"), options, 1);
  };
  EXPECT_EQ(key("a", "1234"), key("b", "1234"));
  EXPECT_NE(key("a", "1234"), key("a", "1235"));
  EXPECT_NE(key("a", "1234").configuration.find(R"("start":"1234")"), std::string::npos);
}

TEST(RunKey, PretrainingsAreSharedByMethodsAndOnlyByThem) {
  const RunKey key = pretraining_key(kTable, {}, 1);
  EXPECT_NE(run_text(key), run_text(run_key(kTable, choose("direct"), {}, 1)));
  EXPECT_NE(run_text(key), run_text(pretraining_key(kTable, {}, 2)));
  EXPECT_NE(run_text(key), run_text(pretraining_key({"wine", "another content"}, {}, 1)));
  EXPECT_EQ(run_text(key), run_text(pretraining_key({"its copy", kTable.content}, {}, 1)));
}

TEST(RunKey, ADataSetIsKnownByItsContent) {
  const Dataset data = testing::cloud_set("clouds", 20);
  const DatasetId id = dataset_id(data);
  EXPECT_EQ(id.name, "clouds");
  EXPECT_EQ(id.content.size(), 64U);
  EXPECT_EQ(dataset_id(testing::cloud_set("others", 20)).content, id.content);
  const auto changed = [&](const std::function<void(Dataset&)>& change) {
    Dataset other = data;
    change(other);
    return dataset_id(other).content != id.content;
  };
  EXPECT_FALSE(changed([](Dataset& d) { d.table().schema.features[0].name = "another name"; }));
  EXPECT_TRUE(changed([](Dataset& d) { d.table().features(3, 1) += 1e-12; }));
  EXPECT_TRUE(changed([](Dataset& d) { d.labels[3] = 1 - d.labels[3]; }));
  EXPECT_TRUE(changed([](Dataset& d) { d.target.classes = {"a", "b"}; }));
  EXPECT_TRUE(changed([](Dataset& d) {
    d.table().schema.features.pop_back();
    d.table().features = DoubleMatrix(30, 2);
  }));
  Dataset kept = data;
  kept.identity = "known already";
  EXPECT_EQ(dataset_id(kept).content, "known already");
}

const std::vector<std::string> kImageSets{"cifar10", "fashion_mnist", "mnist", "svhn"};

// The method has options that suit each set, and the study says nothing of them.
TEST(RunFilter, AStudyOfImagesTakesItsRunsWithTheOptionsThatSuitEachSet) {
  const Study& study = find_study("table-images");
  ASSERT_EQ(study.images, kImageSets);
  std::set<std::string> configurations;
  for (const std::string& set : kImageSets) {
    RunFilter filter({}, {}, study);
    for (const std::string& method : study.methods) {
      ExperimentOptions options = image_protocol(find_image_profile("full"));
      const RunKey key = run_key({set, "pixels"}, choose(method), options, 83105);
      EXPECT_TRUE(filter.takes(key)) << set << " " << method;
      if (method == "uaspl_hybrid") configurations.insert(key.configuration);
      options.fit.training.passes = 3;  // it was shortened
      EXPECT_TRUE(filter.takes(run_key({set, "pixels"}, choose(method), options, 83105)))
          << set << " " << method;
    }
  }
  EXPECT_EQ(configurations.size(), 3U);  // cifar10 and svhn have the same
}

TEST(RunFilter, AStudyDoesNotTakeRunsOfOtherConditions) {
  const Study& study = find_study("table-images");
  const ExperimentOptions usual = image_protocol(find_image_profile("full"));
  RunFilter filter({}, {}, study);
  const auto takes = [&](const ExperimentOptions& options, const ChosenMethod& method) {
    return filter.takes(run_key({"mnist", "pixels"}, method, options, 83105));
  };
  EXPECT_TRUE(takes(usual, choose("uaspl_hybrid")));
  EXPECT_FALSE(takes(usual, choose("uaspl_hybrid", {"uaspl_hybrid.kappa=3"})));
  EXPECT_FALSE(takes(usual, choose("uaspl")));  // is none of its methods
  for (const auto& change : kImageChanges) {
    ExperimentOptions other = usual;
    change(other);
    other.fit.training.passes = usual.fit.training.passes;
    if (configuration(choose("direct"), other) == configuration(choose("direct"), usual)) continue;
    EXPECT_FALSE(takes(other, choose("uaspl_hybrid")));
  }
  RunKey unknown = run_key({"mnist", "pixels"}, choose("spl"), usual, 83105);
  unknown.configuration = "no JSON";
  EXPECT_FALSE(filter.takes(unknown));
}

// What suits the images of a name does not suit a table that has the same name.
TEST(RunFilter, ATableWithTheNameOfAnImageSetIsATable) {
  const RunKey table = run_key({"mnist", "a table"}, choose("uaspl_hybrid"), {}, 1);
  const RunKey other = run_key({"wine", "a table"}, choose("uaspl_hybrid"), {}, 1);
  EXPECT_EQ(table.configuration, other.configuration);
  const Study study =
      parse_study(R"({"datasets": ["mnist", "wine"], "methods": "uaspl_hybrid"})", "tables");
  RunFilter filter({}, {}, study);
  EXPECT_TRUE(filter.takes(table));
  EXPECT_TRUE(filter.takes(other));
  RunFilter images({}, {}, find_study("table-images"));
  EXPECT_FALSE(images.takes(table));
  EXPECT_FALSE(filter.takes(run_key({"mnist", "pixels"}, choose("uaspl_hybrid"),
                                    image_protocol(find_image_profile("full")), 1)));
}

TEST(RunFilter, MethodsAndDataSetsByName) {
  const auto key = [](const std::string& dataset, const std::string& method) {
    return run_key({dataset, "content"}, choose(method), {}, 1);
  };
  RunFilter all({}, {}, std::nullopt);
  EXPECT_TRUE(all.takes(key("wine", "spl")));
  RunFilter some({"spl", "uaspl"}, {"wine"}, std::nullopt);
  EXPECT_TRUE(some.takes(key("wine", "spl")));
  EXPECT_FALSE(some.takes(key("wine", "direct")));
  EXPECT_FALSE(some.takes(key("iris", "spl")));
}

}  // namespace
}  // namespace uaspl
