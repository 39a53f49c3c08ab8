// SelectedRows and weights of self-paced learning: counts, ties, thresholds, optimal weights.
#include "uaspl/method/pace.hpp"

#include <cmath>
#include <limits>

#include "tests/support.hpp"
#include "uaspl/loss/cross_entropy.hpp"
#include "uaspl/net/mlp/mlp.hpp"

namespace uaspl {
namespace {

TEST(Pace, StageSizesAreTruncatedInDouble) {
  EXPECT_EQ(stage_share(0), 0.25);
  EXPECT_EQ(stage_share(5), 1.0);
  EXPECT_EQ(stage_share(9), 1.0);
  EXPECT_EQ(stage_rows(stage_share(3), 90), 62U);  // 0.7 * 90 is just below 63
  EXPECT_EQ(stage_rows(0.25, 3), 1U);
  EXPECT_EQ(stage_rows(0.25, 89), 22U);
  int unlike_integers = 0;  // pairs where whole-number arithmetic would give another count
  for (std::size_t n = 1; n < 5000; ++n)
    for (std::size_t t = 0; t < 6; ++t)
      unlike_integers += stage_rows(stage_share(static_cast<int>(t)), n) !=
                         std::max<std::size_t>(1, n * (25 + 15 * t) / 100);
  EXPECT_EQ(unlike_integers, 70);
}

TEST(Pace, StageSizesOfAClassAreRoundedHalfUp) {
  EXPECT_EQ(stage_rows_of_class(0.25, 1), 1U);
  EXPECT_EQ(stage_rows_of_class(0.25, 2), 1U);   // 0.5
  EXPECT_EQ(stage_rows_of_class(0.25, 10), 3U);  // 2.5
  EXPECT_EQ(stage_rows_of_class(0.4, 10), 4U);
  EXPECT_EQ(stage_rows_of_class(0.25, 9), 2U);  // 2.25
  EXPECT_EQ(stage_rows_of_class(1.0, 9), 9U);
  const std::vector<int> labels{0, 1, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 2};  // 10, 1, 2 of a class
  EXPECT_EQ(taken_rows(Selection::kEasiestOfEachClass, 0.25, labels), 3U + 1U + 1U);
  EXPECT_EQ(taken_rows(Selection::kEasiest, 0.25, labels), 3U);
  EXPECT_EQ(taken_rows(Selection::kAll, 0.25, labels), 13U);
}

TEST(Pace, EachClassGivesItsEasiestRowsWithItsOwnThreshold) {
  const std::vector<int> labels{0, 0, 1, 1, 0, 0};
  const std::vector<float> scores{4.0F, 1.0F, 90.0F, 50.0F, 2.0F, 3.0F};
  const auto rows = testing::first_rows(6);
  const Inputs inputs(Matrix(6, 1));
  const Mlp net({.inputs = 1, .hidden = {2}, .classes = 2}, 1);
  const TrainingSet set{&inputs, rows, labels, 2};
  const auto method = paced(
      {.loss = [](const Stage&) { return cross_entropy(); },
       .score = [&](const Stage&, const Probe&) { return scores; },
       .regulariser = linear_weight,
       .take = Selection::kEasiestOfEachClass,
       .weights =
           [](const Probe&) { return std::vector<float>{1.0F, 0.5F, 1.0F, 1.0F, 1.0F, 1.0F}; }});
  const StageRows plan = method->begin_stage({1, 6, 0.4}, Probe(net, set));  // 2 of 4, and 1 of 2
  EXPECT_EQ(plan.rows, (std::vector<int>{1, 3, 4}));
  ASSERT_EQ(plan.weights.size(), 3U);
  EXPECT_FLOAT_EQ(plan.weights[0], 0.5F * (1.0F - 1.0F / 2.5F));  // threshold (2 + 3) / 2
  EXPECT_FLOAT_EQ(plan.weights[1], 1.0F - 50.0F / 70.0F);         // threshold (50 + 90) / 2
  EXPECT_FLOAT_EQ(plan.weights[2], 1.0F - 2.0F / 2.5F);
}

TEST(Pace, EasiestTakesTheLowestAndBreaksTiesByIndex) {
  const std::vector<float> scores{3.0F, 1.0F, 2.0F, 1.0F, 2.0F};
  EXPECT_EQ(easiest(scores, 2).rows, (std::vector<int>{1, 3}));
  EXPECT_EQ(easiest(scores, 3).rows, (std::vector<int>{1, 2, 3}));
  EXPECT_EQ(easiest(std::vector<float>(6, 0.5F), 2).rows, (std::vector<int>{0, 1}));
}

TEST(Pace, EasiestEqualsAStableSort) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    std::vector<float> scores(101);
    Stream stream(seed, "scores");
    for (float& s : scores) s = static_cast<float>(stream.below(20));
    std::vector<int> order = testing::first_rows(101);
    std::ranges::stable_sort(order, {}, [&](int i) { return scores[static_cast<std::size_t>(i)]; });
    for (const std::size_t count : {1U, 25U, 100U, 101U}) {
      std::vector<int> expected(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count));
      std::ranges::sort(expected);
      EXPECT_EQ(easiest(scores, count).rows, expected);
    }
  }
}

TEST(Pace, WhatIsNotANumberIsHardest) {
  const float nan = std::nanf("");
  const std::vector<float> scores{nan, 5.0F, nan, 1.0F};
  EXPECT_EQ(easiest(scores, 2).rows, (std::vector<int>{1, 3}));
  const SelectedRows all = easiest(scores, 4);
  for (const Regulariser& r : {Regulariser(linear_weight), mixture_weight(1.0)})
    for (const float w : stage_weights(all, scores, r)) EXPECT_EQ(w, 1.0F);
}

TEST(Pace, ThresholdsLieBetweenInsideAndOutside) {
  const std::vector<float> scores{1.0F, 2.0F, 4.0F, 8.0F};
  EXPECT_DOUBLE_EQ(easiest(scores, 2).threshold, 3.0);
  EXPECT_DOUBLE_EQ(easiest(scores, 4).threshold, 10.0);  // 8 + (8-4)/2
  EXPECT_DOUBLE_EQ(easiest(std::vector<float>{2.0F, 2.0F}, 2).threshold, 2.002);
  EXPECT_DOUBLE_EQ(easiest(std::vector<float>{0.0F}, 1).threshold, 1e-12);
}

// v* minimises v l + g(v) over 0..1; found here by trying all v.
void expect_optimal(const Regulariser& weight,
                    const std::function<double(double v, double tau)>& g) {
  for (const double tau : {0.01, 0.7, 5.0}) {
    for (double l = 0.02 * tau; l < 1.3 * tau; l += 0.07 * tau) {
      double best = 0.0;
      double lowest = std::numeric_limits<double>::infinity();
      for (int i = 0; i <= 20000; ++i) {
        const double v = i / 20000.0;
        const double value = v * l + g(v, tau);
        if (value < lowest) lowest = value, best = v;
      }
      EXPECT_NEAR(weight(l, tau), best, 1e-4) << "tau " << tau << " l " << l;
    }
  }
}

TEST(Pace, SoftWeightsMinimiseTheirObjectives) {
  expect_optimal(linear_weight, [](double v, double tau) { return tau * (v * v / 2 - v); });
  for (const double ratio : {0.3, 1.0, 3.0}) {
    expect_optimal(mixture_weight(ratio), [ratio](double v, double tau) {
      const double lambda = std::sqrt(tau);
      const double gamma = ratio * lambda;
      return gamma * gamma / (v + gamma / lambda);
    });
  }
}

TEST(Pace, WithoutTiesEverySelectedRowHasWeight) {
  std::vector<float> scores(200);
  Stream stream(1, "scores");
  for (float& s : scores) s = static_cast<float>(stream.uniform());
  for (int t = 0; t < 6; ++t) {
    const SelectedRows selection = easiest(scores, stage_rows(stage_share(t), 200));
    for (const Regulariser& r :
         {Regulariser(hard_weight), Regulariser(linear_weight), mixture_weight(1.0)})
      for (const float w : stage_weights(selection, scores, r)) EXPECT_TRUE(w > 0.0F && w <= 1.0F);
  }
}

TEST(Pace, ZeroThresholdsAndTiesThroughoutGiveFullWeight) {
  for (const float same : {0.0F, 1e-30F, 2.0F / 3.0F}) {
    const std::vector<float> scores(40, same);
    for (const std::size_t count : {10U, 40U})
      for (const Regulariser& r : {Regulariser(linear_weight), mixture_weight(1.0)})
        for (const float w : stage_weights(easiest(scores, count), scores, r))
          EXPECT_TRUE(w > 0.0F && w <= 1.0F) << same;
  }
}

}  // namespace
}  // namespace uaspl
