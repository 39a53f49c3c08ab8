// Scores and statistics against scikit-learn's and SciPy's values.
#include "uaspl/model/metrics.hpp"

#include <cmath>

#include "tests/support.hpp"
#include "uaspl/report/stats.hpp"

namespace uaspl {
namespace {

TEST(Metrics, EqualScikitLearn) {
  const auto golden = testing::reference("numerics.json")["metrics"];
  ASSERT_EQ(golden.size(), 3U);
  for (const auto& one : golden) {
    const Metrics m =
        score(one["truth"].get<std::vector<int>>(), one["prediction"].get<std::vector<int>>());
    EXPECT_NEAR(m.accuracy, double(one["accuracy"]), 1e-14);
    EXPECT_NEAR(m.precision, double(one["precision"]), 1e-14);
    EXPECT_NEAR(m.recall, double(one["recall"]), 1e-14);
    EXPECT_NEAR(m.f1, double(one["f1"]), 1e-14);
  }
}

TEST(Metrics, ClassesThatOccurNowhereDoNotCount) {
  const Metrics m = score(std::vector<int>{0, 4, 4, 0}, std::vector<int>{0, 4, 0, 2});
  EXPECT_DOUBLE_EQ(m.accuracy, 0.5);
  EXPECT_DOUBLE_EQ(m.precision, (0.5 + 0.0 + 1.0) / 3);
  EXPECT_DOUBLE_EQ(m.recall, (0.5 + 0.0 + 0.5) / 3);
}

TEST(Metrics, PredictionsTakeTheFirstOfTiesAndTheFirstNan) {
  Matrix logits(3, 3);
  logits(0, 1) = 2.0F, logits(0, 2) = 2.0F;
  logits(1, 0) = 5.0F, logits(1, 1) = std::nanf(""), logits(1, 2) = std::nanf("");
  EXPECT_EQ(predicted_classes(logits), (std::vector<int>{1, 1, 0}));
}

TEST(Metrics, PerClassScoresConfusionAndLogLoss) {
  const std::vector<int> truth{0, 0, 1, 1, -1};
  const std::vector<int> guess{0, 1, 1, 1, 0};
  const Confusion counts = confusion_matrix(truth, guess);
  EXPECT_EQ(counts(0, 1), 1U);
  EXPECT_EQ(counts(1, 1), 2U);
  const auto scores = class_scores(truth, guess, 2);
  EXPECT_DOUBLE_EQ(scores[0].precision, 0.5);
  EXPECT_DOUBLE_EQ(scores[0].recall, 0.5);
  EXPECT_DOUBLE_EQ(scores[1].precision, 2.0 / 3.0);
  EXPECT_DOUBLE_EQ(score(truth, guess).accuracy, 0.6);  // the unknown class counts as wrong
  Matrix p(5, 2);
  for (std::size_t i = 0; i < 5; ++i) p(i, 0) = 0.25F, p(i, 1) = 0.75F;
  EXPECT_NEAR(log_loss(truth, p), (2 * -std::log(0.25) + 2 * -std::log(0.75)) / 4, 1e-7);
}

Matrix to_matrix(const nlohmann::json& rows) {
  Matrix all(rows.size(), rows.at(0).size());
  for (std::size_t i = 0; i < all.rows(); ++i)
    for (std::size_t k = 0; k < all.cols(); ++k) all(i, k) = rows[i][k].get<float>();
  return all;
}

TEST(Metrics, ScoresOfProbabilitiesEqualScikitLearn) {
  const auto golden = testing::reference("scores.json");
  ASSERT_EQ(golden.size(), 3U);
  for (const auto& one : golden) {
    const auto truth = one["truth"].get<std::vector<int>>();
    const auto predicted = one["predicted"].get<std::vector<int>>();
    const Matrix p = to_matrix(one["probabilities"]);
    EXPECT_NEAR(log_loss(truth, p), double(one["log_loss"]), 1e-12);
    EXPECT_NEAR(log_loss(truth, p), double(one["sklearn_log_loss"]), 1e-6);  // it scales the rows
    EXPECT_NEAR(brier_score(truth, p), double(one["brier"]), 1e-12);
    EXPECT_NEAR(calibration_error(truth, predicted, p), double(one["ece"]), 1e-12);
    EXPECT_NEAR(error_auroc(truth, predicted, one["uncertainty"].get<std::vector<float>>()),
                double(one["error_auroc"]), 1e-12);
  }
}

TEST(Metrics, ScoresOfProbabilitiesByHand) {
  Matrix p(3, 2);
  p(0, 0) = 0.75F, p(0, 1) = 0.25F;
  p(1, 0) = 0.75F, p(1, 1) = 0.25F;
  p(2, 0) = 0.0F, p(2, 1) = 1.0F;
  const std::vector<int> predicted{0, 0, 1};
  const std::vector<int> truth{0, 1, 2};  // the last is no class of the probabilities
  EXPECT_NEAR(brier_score(truth, p), (2 * 0.0625 + 2 * 0.5625) / 2, 1e-12);
  EXPECT_NEAR(log_loss(truth, p), -(std::log(0.75) + std::log(0.25)) / 2, 1e-12);
  EXPECT_NEAR(calibration_error(truth, predicted, p), (std::abs(1.5 - 1.0) + 1.0) / 3, 1e-12);
  // The right row is less uncertain than one of the two wrong ones, and ties with the other.
  EXPECT_EQ(error_auroc(truth, predicted, std::vector<float>{0.5F, 0.5F, 0.9F}), 0.75);
  EXPECT_TRUE(std::isnan(error_auroc(predicted, predicted, std::vector<float>{0.1F, 0.2F, 0.3F})));
  EXPECT_NEAR(majority_share(std::vector<int>{2, 0, 2, 1, 2}), 0.6, 1e-15);
  EXPECT_EQ(count_classes(predicted), 2U);
}

// A network that diverged has no score, instead of one that looks like any other.
TEST(Metrics, WhatIsNotANumberHasNoScore) {
  Matrix p(2, 2);
  p(0, 0) = 0.5F, p(0, 1) = 0.5F;
  p(1, 0) = std::nanf(""), p(1, 1) = std::nanf("");
  const std::vector<int> truth{0, 1};
  const std::vector<int> predicted{0, 0};
  EXPECT_TRUE(std::isnan(log_loss(truth, p)));
  EXPECT_TRUE(std::isnan(brier_score(truth, p)));
  EXPECT_TRUE(std::isnan(calibration_error(truth, predicted, p)));
  EXPECT_TRUE(std::isnan(error_auroc(truth, predicted, std::vector<float>{0.1F, std::nanf("")})));
  EXPECT_TRUE(std::isnan(log_loss(std::vector<int>{-1, 7}, p)));  // nothing to judge by
}

TEST(Metrics, RowsWithoutAnAnswerAreWrongAndOfNoClass) {
  const std::vector<int> truth{0, 0, 1, 1};
  const std::vector<int> predicted{0, -1, 1, -1};
  const Metrics m = score(truth, predicted);
  EXPECT_EQ(m.accuracy, 0.5);
  EXPECT_EQ(m.precision, 1.0);  // of the two classes that there are
  EXPECT_EQ(m.recall, 0.5);
  EXPECT_EQ(confusion_matrix(truth, predicted)(0, 0), 1U);
  EXPECT_EQ(class_scores(truth, predicted, 2)[1].rows, 2U);
  EXPECT_EQ(score(std::vector<int>{-1, 0}, std::vector<int>{-1, -1}).accuracy, 0.0);
}

TEST(Stats, WilcoxonEqualsSciPy) {
  const auto golden = testing::reference("numerics.json")["wilcoxon"];
  ASSERT_EQ(golden.size(), 4U);
  for (const auto& one : golden) {
    const Wilcoxon w =
        wilcoxon(one["a"].get<std::vector<double>>(), one["b"].get<std::vector<double>>());
    EXPECT_NEAR(w.statistic, double(one["statistic"]), 1e-12);
    EXPECT_NEAR(w.p_normal, double(one["p_normal"]), 1e-12);
    EXPECT_EQ(w.p_exact.has_value(), !one["p_exact"].is_null());
    if (w.p_exact) {
      EXPECT_NEAR(*w.p_exact, double(one["p_exact"]), 1e-12);
    }
  }
}

TEST(Stats, FriedmanEqualsSciPy) {
  const nlohmann::json cases = testing::reference("stats.json")["friedman"];
  for (const auto& one : cases) {
    DoubleMatrix values(one["values"].size(), one["values"][0].size());
    for (std::size_t i = 0; i < values.rows(); ++i)
      std::ranges::copy(one["values"][i].get<std::vector<double>>(), values.row(i).begin());
    const Friedman test = friedman(values);
    EXPECT_NEAR(test.statistic, one["statistic"].get<double>(), 1e-9);
    EXPECT_NEAR(test.p, one["p"].get<double>(), 1e-12 + 1e-9 * one["p"].get<double>());
  }
  EXPECT_EQ(friedman(DoubleMatrix(3, 2)).p, 1.0);  // all equal
}

TEST(Stats, NemenyiAndHolmEqualSciPy) {
  const nlohmann::json all = testing::reference("stats.json");
  for (const auto& one : all["range"])
    EXPECT_NEAR(range_quantile(one["k"], one["level"]), one["q"].get<double>(), 1e-5);
  // Demsar 2006, table 5: q(0.05) for 5 methods is 2.728.
  EXPECT_NEAR(range_quantile(5, 0.05) / std::sqrt(2.0), 2.728, 5e-4);
  EXPECT_NEAR(critical_difference(5, 30), 2.728 * std::sqrt(5.0 * 6.0 / (6.0 * 30)), 1e-3);
  const auto adjusted = holm(all["holm"]["p"].get<std::vector<double>>());
  for (std::size_t i = 0; i < adjusted.size(); ++i)
    EXPECT_NEAR(adjusted[i], all["holm"]["adjusted"][i].get<double>(), 1e-15);
  EXPECT_EQ(holm(std::vector{0.01, 0.04, 0.03}), (std::vector{0.03, 0.06, 0.06}));
}

TEST(Stats, WilcoxonOfEqualSamplesFindsNothing) {
  const std::vector<double> a{1, 2, 3};
  EXPECT_EQ(wilcoxon(a, a).p(), 1.0);
  EXPECT_EQ(wilcoxon({}, {}).p(), 1.0);
}

TEST(Stats, RanksEqualSciPy) {
  const auto golden = testing::reference("numerics.json")["ranks"];
  ASSERT_EQ(golden.size(), 3U);
  for (const auto& one : golden) {
    const auto values = one["values"].get<std::vector<double>>();
    EXPECT_EQ(ranks(values, Best::kHighest), one["average_descending"].get<std::vector<double>>());
    EXPECT_EQ(ranks(values, Best::kHighest, Ties::kMinimum),
              one["min_descending"].get<std::vector<double>>());
  }
}

TEST(Stats, RanksOfTheLowestDenseAndRounded) {
  const std::vector<double> values{0.12, 0.11, 0.2, 0.11};
  EXPECT_EQ(ranks(values, Best::kLowest, Ties::kDense), (std::vector<double>{2, 1, 3, 1}));
  EXPECT_EQ(ranks(values, Best::kLowest, Ties::kMinimum, 1), (std::vector<double>{1, 1, 4, 1}));
}

TEST(Stats, SummariesLeaveOutWhatIsNotFinite) {
  const std::vector<double> values{1.0, 2.0, std::nan(""), 4.0, INFINITY};
  const Summary s = summarise(values);
  EXPECT_EQ(s.count, 3U);
  EXPECT_DOUBLE_EQ(s.mean, 7.0 / 3.0);
  EXPECT_NEAR(s.deviation, 1.5275252316519468, 1e-15);  // ddof 1
  EXPECT_EQ(summarise(std::vector<double>{5.0}).deviation, 0.0);
  EXPECT_EQ(summarise({}).count, 0U);
}

}  // namespace
}  // namespace uaspl
