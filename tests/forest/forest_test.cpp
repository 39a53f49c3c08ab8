// Tests of whole forests: what they learn, and that nothing but data, options and seed decides.
#include "uaspl/forest/forest.hpp"

#include <thread>

#include "tests/forest/forests.hpp"
#include "uaspl/base/error.hpp"
#include "uaspl/data/split.hpp"
#include "uaspl/data/table/load.hpp"

namespace uaspl::testing {
namespace {

constexpr ForestKind kKinds[] = {ForestKind::kRandom, ForestKind::kExtremelyRandom};

ForestOptions small(ForestKind kind) { return {.kind = kind, .trees = 21, .seed = 5}; }

TEST(Forest, TheSameBitsForAnyNumberOfThreads) {
  const MixedTable made = mixed_table(700, 3);
  for (const ForestKind kind : kKinds) {
    const FittedForest one = fit_all(made, small(kind), 1);
    const FittedForest three = fit_all(made, small(kind), 3);
    EXPECT_TRUE(same(one.forest.save(), three.forest.save()));
    if (one.out_of_bag) {
      EXPECT_TRUE(std::ranges::equal(one.out_of_bag->probabilities.values(),
                                     three.out_of_bag->probabilities.values()));
      EXPECT_EQ(one.out_of_bag->amounts, three.out_of_bag->amounts);
    }
    ForestOptions other = small(kind);
    other.seed = 6;
    EXPECT_FALSE(same(one.forest.save(), fit_all(made, other).forest.save()));
  }
}

TEST(Forest, AnAnswerDependsOnItsRowAlone) {
  const MixedTable made = mixed_table(2100, 3);
  for (const ForestKind kind : kKinds) {
    const Forest forest = fit_all(made, small(kind)).forest;
    const ForestOpinions all = forest.predict(made.table);
    Workers workers(3);
    const ForestOpinions shared = forest.predict(made.table, &workers);
    EXPECT_TRUE(std::ranges::equal(all.probabilities.values(), shared.probabilities.values()));
    for (std::size_t i = 0; i < 40; ++i) {
      const DoubleMatrix row(1, 3, {made.table(i, 0), made.table(i, 1), made.table(i, 2)});
      const ForestOpinions one = forest.predict(row);
      EXPECT_TRUE(std::ranges::equal(one.probabilities.row(0), all.probabilities.row(i)));
      EXPECT_EQ(one.amounts[0], all.amounts[i]);
    }
  }
}

TEST(Forest, ThreadsMayAskAtOnce) {
  const MixedTable made = mixed_table(300, 2);
  const Forest forest = fit_all(made, small(ForestKind::kRandom)).forest;
  const ForestOpinions expected = forest.predict(made.table);
  std::vector<std::jthread> threads;
  std::atomic<int> right{0};
  for (int t = 0; t < 3; ++t)
    threads.emplace_back([&] {
      const ForestOpinions mine = forest.predict(made.table);
      right += std::ranges::equal(mine.probabilities.values(), expected.probabilities.values());
    });
  threads.clear();
  EXPECT_EQ(right, 3);
}

TEST(Forest, WhatItSaysIsTheMeanOfItsLeaves) {
  const MixedTable made = mixed_table(100, 3);
  Forest forest = fit_all(made, small(ForestKind::kExtremelyRandom)).forest;
  forest.set_evidence_scale(0.5);
  const ForestOpinions opinions = forest.predict(made.table);
  for (std::size_t i = 0; i < 100; ++i) {
    double p[3] = {};
    double amount = 0.0;
    for (const Tree& tree : forest.trees()) {
      std::size_t at = 0;
      while (!tree.nodes[at].is_leaf()) {
        const TreeNode& node = tree.nodes[at];
        const std::uint8_t bin = forest.columns()[node.column()].bin(made.table(i, node.column()));
        const bool left = node.is_category()   ? tree.sets[node.set()].has(bin)
                          : bin == kMissingBin ? node.missing_left() == 1
                                               : bin <= node.threshold();
        at += node.offset() + (left ? 0 : 1);
      }
      const std::size_t number = tree.nodes[at].leaf_number();
      const Leaf& leaf = tree.leaves[number];
      for (std::size_t c = number == 0 ? 0 : tree.leaves[number - 1].end; c < leaf.end; ++c)
        p[tree.classes[c].klass] += static_cast<double>(tree.classes[c].weight) / leaf.weight;
      amount += static_cast<double>(leaf.weight);
    }
    for (std::size_t k = 0; k < 3; ++k)
      EXPECT_NEAR(opinions.probabilities(i, k), p[k] / 21.0, 1e-6);
    EXPECT_NEAR(opinions.amounts[i], 0.5 * amount / 21.0, 1e-4);
  }
}

TEST(Forest, RowsWithoutWeightAreLeftOut) {
  MixedTable made = mixed_table(200, 2);
  for (std::size_t i = 0; i < 200; ++i) made.weights.push_back(i % 4 == 0 ? 0.0F : 1.0F);
  for (std::size_t i = 0; i < 200; i += 4) made.table(i, 0) = 1e9;  // would be seen in the bins
  std::vector<int> kept;
  for (int i = 0; i < 200; ++i)
    if (i % 4 != 0) kept.push_back(i);
  Workers workers(1);
  for (const ForestKind kind : kKinds) {
    const FittedForest left_out = fit_all(made, small(kind));
    EXPECT_TRUE(same(left_out.forest.save(),
                     fit_forest(made.data(), kept, small(kind), workers)->forest.save()));
  }
}

TEST(Forest, AWeightOfTwoIsTwoRows) {
  MixedTable made = mixed_table(120, 3);
  MixedTable twice = made;
  twice.table = DoubleMatrix(160, 3);
  for (std::size_t i = 0; i < 160; ++i) {
    std::ranges::copy(made.table.row(i % 120), twice.table.row(i).begin());
    if (i >= 120) twice.labels.push_back(made.labels[i - 120]);
  }
  for (std::size_t i = 0; i < 120; ++i) made.weights.push_back(i < 40 ? 2.0F : 1.0F);
  ForestOptions options = small(ForestKind::kExtremelyRandom);
  options.min_leaf = options.bin_rows = 1;
  const ForestOpinions weighted = fit_all(made, options).forest.predict(made.table);
  const ForestOpinions doubled = fit_all(twice, options).forest.predict(made.table);
  EXPECT_TRUE(std::ranges::equal(weighted.probabilities.values(), doubled.probabilities.values()));
  EXPECT_EQ(weighted.amounts, doubled.amounts);
}

TEST(Forest, OutOfBagOpinionsComeFromTreesThatHaveNotSeenTheRow) {
  MixedTable made = mixed_table(600, 2);
  made.labels = random_labels(600, 2, 99);  // nothing to learn
  ForestOptions options = small(ForestKind::kRandom);
  options.trees = 100;
  options.min_leaf = 1;
  const FittedForest fitted = fit_all(made, options);
  EXPECT_GT(accuracy(fitted.forest.predict(made.table), made.labels), 0.95);
  EXPECT_NEAR(accuracy(*fitted.out_of_bag, made.labels), 0.5, 0.1);
  EXPECT_FALSE(fit_all(made, small(ForestKind::kExtremelyRandom)).out_of_bag);
}

TEST(Forest, ARowThatEveryTreeHasSeenHasNoEvidenceOutOfBag) {
  const MixedTable made = mixed_table(30, 2);
  ForestOptions options = small(ForestKind::kRandom);
  options.trees = 1;
  const ForestOpinions seen = *fit_all(made, options).out_of_bag;
  std::size_t without = 0;
  for (std::size_t i = 0; i < 30; ++i) {
    if (seen.amounts[i] != 0.0F) continue;
    ++without;
    EXPECT_EQ(seen.probabilities(i, 0), 0.5F);
  }
  EXPECT_GT(without, 5U);
  EXPECT_LT(without, 30U);
}

TEST(Forest, AConstantTableAndOneClassAreLearned) {
  MixedTable made{DoubleMatrix(20, 1), {{0}}, std::vector<int>(20, 0), 2};
  for (std::size_t i = 0; i < 5; ++i) made.labels[i] = 1;
  Forest forest = fit_all(made, small(ForestKind::kExtremelyRandom)).forest;
  EXPECT_EQ(forest.predict(made.table).probabilities(0, 1), 0.25F);
  EXPECT_EQ(forest.predict(made.table).amounts[0], 20.0F);
  made.labels.assign(20, 1);
  forest = fit_all(made, small(ForestKind::kRandom)).forest;
  EXPECT_EQ(forest.predict(made.table).probabilities(7, 1), 1.0F);
}

TEST(Forest, TheEvidenceScaleHasTheLowestLoss) {
  const MixedTable made = mixed_table(500, 3);
  ForestOptions options = small(ForestKind::kRandom);
  options.trees = 60;
  const ForestOpinions seen = *fit_all(made, options).out_of_bag;
  const auto loss = [&](double scale) {
    double sum = 0.0;
    for (std::size_t i = 0; i < 500; ++i) {
      const double amount = scale * static_cast<double>(seen.amounts[i]);
      const auto k = static_cast<std::size_t>(made.labels[i]);
      sum -= std::log((1.0 + amount * seen.probabilities(i, k)) / (3.0 + amount));
    }
    return sum;
  };
  const double best = best_evidence_scale(seen, made.labels);
  for (const double factor : {0.5, 0.8, 0.95, 1.05, 1.25, 2.0})
    EXPECT_LT(loss(best), loss(best * factor));
}

TEST(Forest, StopsWhenAskedTo) {
  const MixedTable made = mixed_table(50, 2);
  ForestOptions options = small(ForestKind::kRandom);
  options.stop = [] { return true; };
  Workers workers(2);
  EXPECT_FALSE(fit_forest(made.data(), first_rows(50), options, workers));
}

TEST(Forest, ImpossibleFitsAreRefused) {
  const MixedTable good = mixed_table(20, 2);
  const auto refused = [](const MixedTable& made, const ForestOptions& options,
                          std::vector<int> rows) {
    Workers workers(1);
    EXPECT_THROW(fit_forest(made.data(), rows, options, workers), Error);
  };
  const auto changed = [&](const auto& change) {
    MixedTable made = good;
    change(made);
    refused(made, {}, first_rows(20));
  };
  refused(good, {.trees = 0}, first_rows(20));
  refused(good, {.trees = kMostTrees + 1}, first_rows(20));
  refused(good, {.min_leaf = 0}, first_rows(20));
  refused(good, {}, {});
  refused(good, {}, {0, 1, 0});
  refused(good, {}, {-1});
  refused(good, {}, {20});
  changed([](MixedTable& made) { made.labels[3] = 2; });
  changed([](MixedTable& made) { made.labels[3] = -1; });
  changed([](MixedTable& made) { made.labels.pop_back(); });
  changed([](MixedTable& made) { made.columns.pop_back(); });
  changed([](MixedTable& made) { made.weights = {1.0F}; });
  changed([](MixedTable& made) { made.weights.assign(20, 0.0F); });
  for (const float weight : {-1.0F, 1e-30F, 1e30F, static_cast<float>(kMissing)})
    changed([&](MixedTable& made) { made.weights.assign(20, weight); });
  EXPECT_THROW(fit_all(good, {.trees = 3}).forest.predict(DoubleMatrix(1, 2)), Error);
}

// scikit-learn's forests on the same splits, with the same options.
TEST(Forest, IsAsAccurateAsScikitLearn) {
  const auto stored = reference("forest.json");
  for (const auto& [name, kinds] : stored.items()) {
    const Dataset data = load_dataset(shipped_data_folder() / (name + ".csv"));
    const DoubleMatrix& table = data.table().features;
    const std::vector<ForestColumn> columns(table.cols());
    Workers workers(2);
    for (const auto& [kind, values] : kinds.items()) {
      double mean = 0.0;
      const std::size_t seeds = values["accuracies"].size();
      for (std::size_t s = 0; s < seeds; ++s) {
        const Split split = train_test_split(data.rows(), 0.5, static_cast<std::uint32_t>(s));
        const ForestOptions options{
            .kind = kind == "random" ? ForestKind::kRandom : ForestKind::kExtremelyRandom,
            .trees = values["trees"],
            .min_leaf = values["min_leaf"],
            .seed = s};
        const auto fitted = fit_forest({table, columns, data.labels, data.target.classes.size()},
                                       split.train, options, workers);
        std::vector<int> truth;
        for (const int row : split.test)
          truth.push_back(data.labels[static_cast<std::size_t>(row)]);
        const auto opinions = fitted->forest.predict(table, split.test, {});
        mean += accuracy(opinions, truth) / static_cast<double>(seeds);
      }
      const std::vector<double> theirs = values["accuracies"];
      const double their_mean =
          std::accumulate(theirs.begin(), theirs.end(), 0.0) / static_cast<double>(seeds);
      // What forests of other seeds differ by on these tables, see the script.
      EXPECT_NEAR(mean, their_mean, 0.012) << name << ' ' << kind;
    }
  }
}

}  // namespace
}  // namespace uaspl::testing
