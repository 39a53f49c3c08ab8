// The controls and the further curricula: random and reversed order, difficulty in the
// pre-training, diversity, shrinking stages, reweighting, and UASPL by reliability and at the
// network's pace.
#include <cmath>
#include <set>

#include "tests/support.hpp"
#include "uaspl/loss/cross_entropy.hpp"
#include "uaspl/method/active_bias.hpp"
#include "uaspl/method/k_means.hpp"
#include "uaspl/method/lre.hpp"
#include "uaspl/method/recipes.hpp"
#include "uaspl/method/spld.hpp"
#include "uaspl/method/uaspl_adaptive.hpp"
#include "uaspl/method/uaspl_reliable.hpp"
#include "uaspl/net/mlp/mlp.hpp"
#include "uaspl/train/trainer.hpp"

namespace uaspl {
namespace {

struct Setting {
  testing::Clouds clouds = testing::make_clouds(80, 4, 3, 17);
  Mlp net{{.inputs = 4, .hidden = {8}, .classes = 3}, 5};
  TrainingSet set{&clouds.inputs, clouds.rows, clouds.labels, 3};
};

std::unique_ptr<Method> make(std::string_view name, const std::vector<std::string>& options = {}) {
  return choose_methods(std::vector{std::string(name)}, options).front().make();
}

TEST(Controls, TakeAsManyRowsInRandomOrderOrHardestFirst) {
  const Setting s;
  const Probe probe(s.net, s.set, 3);
  const Stage first{0, 6, 0.25, 10};
  for (const std::string family : {"", "uaspl_"}) {
    const auto spl = make(family.empty() ? "spl" : "uaspl");
    const auto anti = make(family + "anti");
    const auto random = make(family + "random_order");
    const std::vector<float> losses = probe.losses(spl->loss(first));
    const auto easiest_rows = spl->begin_stage(first, probe).rows;
    const auto hardest = anti->begin_stage(first, probe).rows;
    const auto drawn = random->begin_stage(first, probe).rows;
    EXPECT_EQ(hardest.size(), easiest_rows.size());
    EXPECT_EQ(drawn.size(), easiest_rows.size());
    float lowest = 1e9F;
    for (const int row : hardest) lowest = std::min(lowest, losses[static_cast<std::size_t>(row)]);
    std::vector<bool> inside(losses.size());
    for (const int row : hardest) inside[static_cast<std::size_t>(row)] = true;
    for (std::size_t i = 0; i < losses.size(); ++i)
      if (!inside[i]) {
        EXPECT_LE(losses[i], lowest);
      }
    EXPECT_NE(drawn, easiest_rows);
    // Another draw in another stage and with another seed, the same with the same.
    const Probe other(s.net, s.set, 4);
    EXPECT_EQ(random->begin_stage(first, probe).rows, drawn);
    EXPECT_NE(random->begin_stage({1, 6, 0.25, 10}, probe).rows, drawn);
    EXPECT_NE(random->begin_stage(first, other).rows, drawn);
    // The loss is that of the method they control.
    EXPECT_EQ(probe.losses(anti->loss(first)), losses);
    EXPECT_EQ(probe.losses(random->loss(first)), losses);
  }
}

TEST(Controls, MajorityAnswersWithTheFrequenciesOfTheClasses) {
  Setting s;
  for (std::size_t i = 0; i < 60; ++i) s.clouds.labels[i] = 1;
  std::size_t counts[3] = {};
  for (const int label : s.clouds.labels) ++counts[label];
  const auto method = make("majority");
  const FitReport report = fit(s.net, *method, s.set, {.step = {}});
  EXPECT_EQ(report.stages.size(), 6U);
  for (const StageTrace& stage : report.stages) EXPECT_EQ(stage.passes, 0);
  EXPECT_FALSE(report.diverged);
  const Matrix logits = s.net.logits(s.clouds.batch());
  for (std::size_t i = 0; i < logits.rows(); ++i)
    for (std::size_t k = 0; k < 3; ++k)
      EXPECT_NEAR(std::exp(logits(i, k)), static_cast<double>(counts[k]) / 80.0, 1e-6);
}

TEST(Difficulty, HistoryKeepsDistanceMarginAndForgetting) {
  PredictionHistory history(2);
  const std::vector<int> labels{1, 0};
  const float log3 = std::log(3.0F);
  const auto visit = [&](float a, float b) {  // p of the two classes ~ e^a, e^b
    history.add(std::vector<int>{0}, Matrix(1, 2, {a, b}), labels);
  };
  visit(log3, 0.0F);  // wrong: p = 3/4, 1/4
  EXPECT_NEAR(history.distance(0), 0.75 * std::sqrt(2.0), 1e-7);
  EXPECT_NEAR(history.margin(0), -0.5, 1e-7);
  EXPECT_EQ(history.forgotten(0), 1U);  // never right so far
  visit(0.0F, log3);                    // right
  EXPECT_NEAR(history.distance(0), 0.5 * std::sqrt(2.0), 1e-7);
  EXPECT_NEAR(history.margin(0), 0.0, 1e-7);
  EXPECT_EQ(history.forgotten(0), 0U);
  visit(log3, 0.0F);
  visit(0.0F, log3);
  visit(log3, 0.0F);
  EXPECT_EQ(history.forgotten(0), 2U);
  SavedState saved;
  history.save(saved);
  PredictionHistory again;
  again.load(saved, 2);
  EXPECT_EQ(again.forgotten(0), 2U);
  EXPECT_EQ(again.margin(0), history.margin(0));
  EXPECT_EQ(again.distance(0), history.distance(0));
  EXPECT_EQ(history.forgotten(1), 0U);  // not visited at all
}

TEST(Difficulty, OrdersRowsByThePretraining) {
  const Setting s;
  const Pretraining before = pretrain(*s.net.clone(), s.set, 4, {.step = {}});
  TrainingSet set = s.set;
  set.pretraining = &before.history;
  const Probe probe(s.net, set, 3);
  const Stage half{2, 6, 0.5, 10};
  const auto rows = make("aum")->begin_stage(half, probe).rows;
  double lowest_inside = 2.0;
  double highest_outside = -2.0;
  const std::set<int> inside(rows.begin(), rows.end());
  for (int i = 0; i < 80; ++i) {
    const double margin = before.history.margin(static_cast<std::size_t>(i));
    if (inside.contains(i)) lowest_inside = std::min(lowest_inside, margin);
    if (!inside.contains(i)) highest_outside = std::max(highest_outside, margin);
  }
  EXPECT_GE(lowest_inside, highest_outside - 1e-6);
}

TEST(KMeans, FindsGroupsThatLieApart) {
  const Matrix noise = testing::random_matrix(90, 3, 5, 0.1);
  Matrix points = noise;
  for (std::size_t i = 0; i < 90; ++i) points(i, 0) += static_cast<float>(10 * (i % 3));
  const std::vector<int> group = k_means(points, 3, Stream(1, "k-means"));
  for (std::size_t i = 0; i < 90; ++i) EXPECT_EQ(group[i], group[i % 3]);
  EXPECT_EQ(std::set<int>(group.begin(), group.end()).size(), 3U);
  EXPECT_EQ(group, k_means(points, 3, Stream(1, "k-means")));
  const Matrix equal(20, 2);  // fewer kinds of points than groups
  EXPECT_EQ(k_means(equal, 4, Stream(1, "k-means")), std::vector<int>(20, 0));
}

TEST(Spld, TheFirstOfEachGroupHaveAnAdvantage) {
  const std::vector<float> losses{0.1F, 0.2F, 0.3F, 0.9F, 0.3F};
  const std::vector<int> groups{0, 0, 0, 1, 0};
  const std::vector<float> scores = diverse_scores(losses, groups, 1.0);
  EXPECT_FLOAT_EQ(scores[0], 0.1F - 1.0F);
  EXPECT_NEAR(scores[1], 0.2 - 1.0 / (std::sqrt(2.0) + 1.0), 1e-7);
  EXPECT_NEAR(scores[2], 0.3 - 1.0 / (std::sqrt(3.0) + std::sqrt(2.0)), 1e-7);
  EXPECT_FLOAT_EQ(scores[3], 0.9F - 1.0F);
  EXPECT_NEAR(scores[4], 0.3 - 1.0 / (2.0 + std::sqrt(3.0)), 1e-7);  // the tie
  EXPECT_EQ(diverse_scores(losses, groups, 0.0), losses);
  // The two first by score are one of each group, without diversity two of the first.
  EXPECT_EQ(easiest(diverse_scores(losses, groups, 2.0), 2).rows, (std::vector<int>{0, 3}));
  EXPECT_EQ(easiest(losses, 2).rows, (std::vector<int>{0, 1}));
}

TEST(Dihcl, TakesFewerRowsStageByStageAndPrefersHardOnes) {
  const Setting s;
  for (const std::string hardness : {"loss", "flips"}) {
    const auto method = make("dihcl", {"dihcl.hardness=" + hardness});
    const FitReport report = fit(*s.net.clone(), *method, s.set, {.passes = 5, .step = {}});
    std::vector<std::size_t> sizes;
    for (const StageTrace& stage : report.stages) sizes.push_back(stage.selected);
    EXPECT_EQ(sizes, (std::vector<std::size_t>{80, 68, 56, 44, 32, 20})) << hardness;
  }
  // At the beginning hardness is the loss; over many seeds, chosen rows are harder than the others.
  const auto method = make("dihcl");
  double inside = 0.0;
  double all = 0.0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const Probe probe(s.net, s.set, seed);
    const std::vector<float> losses = probe.losses(cross_entropy());
    method->begin_stage({0, 6, 0.25, 5}, probe);
    const StageRows chosen = method->begin_stage({5, 6, 1.0, 5}, probe);
    for (const int row : chosen.rows)
      inside += static_cast<double>(losses[static_cast<std::size_t>(row)]) / 20.0;
    for (const float loss : losses) all += static_cast<double>(loss) / 80.0;
  }
  EXPECT_GT(inside, all);
}

TEST(Lre, WeighsRowsByHowMuchTheyHelp) {
  const std::vector<float> influences{-3.0F, 1.0F, -1.0F, 0.0F};
  EXPECT_EQ(helpful_weights(influences, 10.0), (std::vector<float>{3.0F, 0.0F, 1.0F, 0.0F}));
  EXPECT_EQ(helpful_weights(influences, 2.0), (std::vector<float>{2.0F, 0.0F, 1.0F, 0.0F}));
  EXPECT_EQ(helpful_weights(std::vector<float>{1.0F, 2.0F}, 5.0), (std::vector<float>{1.0F, 1.0F}));
}

TEST(ActiveBias, DrawsRowsByTheirWeights) {
  const std::vector<float> weights{0.0F, 1.0F, 3.0F, 0.0F};
  double sums[4] = {};
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    const std::vector<float> counts = draw_counts(weights, Stream(seed, "draws"));
    double sum = 0.0;
    for (std::size_t i = 0; i < 4; ++i) sums[i] += counts[i], sum += counts[i];
    EXPECT_EQ(sum, 4.0);
  }
  EXPECT_EQ(sums[0], 0.0);
  EXPECT_EQ(sums[3], 0.0);
  EXPECT_NEAR(sums[1] / 2000.0, 1.0, 0.1);
  EXPECT_NEAR(sums[2] / 2000.0, 3.0, 0.1);
}

// Sees the weights of all steps.
class Weights final : public Observer {
 public:
  void on_step(const Visit&, std::span<const float> weights) override {
    double sum = 0.0;
    for (const float weight : weights) sum += static_cast<double>(weight);
    means.push_back(sum / static_cast<double>(weights.size()));
    whole = whole && std::ranges::all_of(weights, [](float w) { return w == std::floor(w); });
  }
  std::vector<double> means;
  bool whole = true;
};

TEST(Options, DrawsAndScaledWeightsHaveMeanOne) {
  const Setting s;
  for (const std::string option : {"active_bias.use=draws", "mw_net.scale=mean"}) {
    const std::string name = option.substr(0, option.find('.'));
    const auto method = make(name, {option});
    Weights seen;
    fit(*s.net.clone(), *method, s.set, {.passes = 4, .batch = 24, .step = {}, .seed = 1}, &seen);
    EXPECT_FALSE(seen.means.empty());
    for (const double mean : seen.means) EXPECT_NEAR(mean, 1.0, 1e-5) << option;
    EXPECT_EQ(seen.whole, name == "active_bias");
  }
  // Options that came later do not change the identity of runs that do not use them.
  const auto chosen = choose_methods(std::vector<std::string>{"mw_net"});
  for (const Option& option : chosen[0].info->options)
    EXPECT_EQ(chosen[0].settings.is_written(option), option.name != "scale");
  const auto scaled = choose_methods(std::vector<std::string>{"mw_net"},
                                     std::vector<std::string>{"mw_net.scale=mean"});
  EXPECT_TRUE(scaled[0].settings.is_written(scaled[0].info->options.back()));
}

// Edl's divergence grows from 0 to 1 over the first tenth of all passes.
TEST(Edl, AnnealsTheDivergenceByPasses) {
  const Setting s;
  const Probe probe(s.net, s.set);
  const auto method = make("edl", {"edl.evidence=exp"});
  const auto value = [&](const Loss& loss) { return probe.losses(loss)[0]; };
  const Stage first{0, 6, 0.25, 150};
  const Evidence e = Evidence::kExp;
  const float none = value(find_loss("emse").make(e));
  const float whole = value(find_loss("fixed_beta").make(e));
  EXPECT_EQ(value(*method->loss_of_pass(first, 0)), none);
  EXPECT_NEAR(value(*method->loss_of_pass(first, 45)), (none + whole) / 2.0F, 1e-5);
  EXPECT_EQ(value(*method->loss_of_pass(first, 90)), whole);
  EXPECT_EQ(value(*method->loss_of_pass(first, 149)), whole);
  EXPECT_EQ(value(method->loss({1, 6, 0.4, 150})), whole);
  EXPECT_EQ(method->loss({5, 6, 1.0}).evidence(), e);
  EXPECT_EQ(make("r_edl")->loss({5, 6, 1.0}).prior(), 0.1);
}

TEST(Reliable, WeighsByWhetherDoubtFitsTheError) {
  EXPECT_DOUBLE_EQ(reliability(true, 0.2), 0.8);
  EXPECT_DOUBLE_EQ(reliability(false, 0.2), 0.2);
  const Setting s;
  const Probe probe(s.net, s.set);
  // With delta = 1 reliability does not count: uaspl_linear.
  const Stage stage{1, 6, 0.4, 10};
  const StageRows same =
      make("uaspl_reliable", {"uaspl_reliable.delta=1"})->begin_stage(stage, probe);
  const StageRows linear = make("uaspl_linear")->begin_stage(stage, probe);
  EXPECT_EQ(same.rows, linear.rows);
  EXPECT_EQ(same.weights, linear.weights);
}

TEST(Adaptive, StagesEndWhenTheLossHasSettled) {
  EXPECT_FALSE(has_settled(std::vector{1.0, 0.999}, 2));          // too few passes
  EXPECT_TRUE(has_settled(std::vector{1.0, 0.999, 0.995}, 2));    // less than 1 %
  EXPECT_FALSE(has_settled(std::vector{1.0, 0.999, 0.98}, 2));    // more
  EXPECT_FALSE(has_settled(std::vector{9.0, 1.0, 0.9, 0.8}, 2));  // only the last ones count
}

TEST(Adaptive, TheNextStageIsAsLargeAsTheNetworkIsGood) {
  std::vector<float> losses(100);
  for (std::size_t i = 0; i < 100; ++i) losses[i] = static_cast<float>(i);
  const std::vector<int> easy = testing::first_rows(40);  // hardest tenth: 36 to 39, mean 37.5
  EXPECT_DOUBLE_EQ(next_share(0.25, losses, easy), 0.38);
  EXPECT_DOUBLE_EQ(next_share(0.35, losses, easy), 0.40);  // at least 0.05 more
  EXPECT_DOUBLE_EQ(next_share(0.05, losses, easy), 0.35);  // at most 0.30 more
  EXPECT_DOUBLE_EQ(next_share(0.97, losses, testing::first_rows(97)), 1.0);
  losses[3] = std::nanf("");
  EXPECT_DOUBLE_EQ(next_share(0.25, losses, easy), 0.55);  // what is not a number is hardest
}

TEST(Adaptive, LeavesPassesForAllStagesThatMayFollow) {
  EXPECT_EQ(part_of_passes(0.25, 900), 900 / 16);
  EXPECT_EQ(part_of_passes(0.95, 300), 150);
  EXPECT_EQ(part_of_passes(1.0, 300), 300);
  EXPECT_EQ(part_of_passes(0.25, 3), 1);
}

TEST(Adaptive, UsesTheBudgetOfUasplAndEndsWithAllRows) {
  const Setting s;
  const auto method = make("uaspl_adaptive");
  const FitReport report = fit(*s.net.clone(), *method, s.set, {.passes = 30, .step = {}});
  int passes = 0;
  for (std::size_t t = 0; t < report.stages.size(); ++t) {
    passes += report.stages[t].passes;
    if (t > 0) {
      EXPECT_GT(report.stages[t].selected, report.stages[t - 1].selected);
    }
  }
  EXPECT_LE(passes, 180);
  EXPECT_EQ(report.stages.front().selected, 20U);
  EXPECT_EQ(report.stages.back().selected, 80U);
}

}  // namespace
}  // namespace uaspl
