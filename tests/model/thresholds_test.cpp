// Thresholds and costs of two classes, and scores by the class, against scikit-learn and by hand.
#include "uaspl/model/thresholds.hpp"

#include <cmath>

#include "tests/models.hpp"
#include "uaspl/base/error.hpp"
#include "uaspl/model/evaluation.hpp"
#include "uaspl/model/model_file.hpp"

namespace uaspl {
namespace {

Matrix to_matrix(const nlohmann::json& rows) {
  Matrix all(rows.size(), rows.at(0).size());
  for (std::size_t i = 0; i < all.rows(); ++i)
    for (std::size_t k = 0; k < all.cols(); ++k) all(i, k) = rows[i][k].get<float>();
  return all;
}

// Probabilities of the second of two classes.
Matrix two(const std::vector<float>& second) {
  Matrix all(second.size(), 2);
  for (std::size_t i = 0; i < second.size(); ++i) {
    all(i, 0) = 1.0F - second[i];
    all(i, 1) = second[i];
  }
  return all;
}

Predictions predictions_of(const Matrix& probabilities) {
  return {.labels = predicted_classes(probabilities),
          .probabilities = probabilities,
          .evidence = {},
          .vacuity = {},
          .entropy = std::vector<float>(probabilities.rows())};
}

void expect_score(double value, const nlohmann::json& expected, double tolerance = 1e-12) {
  if (expected.is_null())
    EXPECT_TRUE(std::isnan(value));
  else
    EXPECT_NEAR(value, expected.get<double>(), tolerance);
}

TEST(Evaluation, EqualsScikitLearnWithAndWithoutWeights) {
  const nlohmann::json cases = testing::reference("rankings.json")["scores"];
  ASSERT_EQ(cases.size(), 5U);
  for (const auto& one : cases) {
    Predictions p = predictions_of(to_matrix(one["probabilities"]));
    for (std::size_t i = 0; i < p.rows(); ++i)
      p.entropy[i] = 1.0F - std::ranges::max(p.probabilities.row(i));
    const auto truth = one["truth"].get<std::vector<int>>();
    const Evaluation e = evaluate(
        truth, p, p.probabilities.cols(),
        {.weights = one["weights"].get<std::vector<double>>(),
         .positive = p.probabilities.cols() == 2 ? std::optional<std::size_t>(1) : std::nullopt});
    EXPECT_EQ(e.weighted, !one["weights"].empty());
    expect_score(e.metrics.accuracy, one["accuracy"]);
    expect_score(e.metrics.f1, one["f1"]);
    expect_score(e.metrics.precision, one["precision"]);
    expect_score(e.metrics.recall, one["recall"]);
    expect_score(e.balanced_accuracy, one["balanced_accuracy"]);
    expect_score(e.log_loss, one["log_loss"], 1e-6);  // it scales the rows
    expect_score(e.calibration.brier, one["brier"]);
    expect_score(e.calibration.error_auroc, one["error_auroc"]);
    for (std::size_t k = 0; k < e.classes.size(); ++k) {
      expect_score(e.classes[k].auroc, one["classes"][k]["auroc"]);
      expect_score(e.classes[k].average_precision, one["classes"][k]["average_precision"]);
    }
    ASSERT_EQ(e.thresholds.has_value(), one.contains("thresholds"));
    if (!e.thresholds) continue;
    ASSERT_EQ(e.thresholds->scores.size(), one["thresholds"].size());
    for (std::size_t i = 0; i < e.thresholds->scores.size(); ++i) {
      const ThresholdScore& score = e.thresholds->scores[i];
      EXPECT_EQ(score.threshold, double(one["thresholds"][i]["threshold"]));
      expect_score(score.precision, one["thresholds"][i]["precision"]);
      expect_score(score.recall, one["thresholds"][i]["recall"]);
      expect_score(score.flagged, one["thresholds"][i]["flagged"]);
    }
  }
}

TEST(Evaluation, TheMajorityIsOfKnownClasses) {
  const Predictions p = predictions_of(two({0.1F, 0.9F, 0.2F, 0.3F, 0.4F}));
  const Evaluation e = evaluate(std::vector<int>{-1, -1, -1, 1, 1}, p, 2);
  EXPECT_EQ(e.majority_class, 1U);
  EXPECT_EQ(e.majority, 0.4);
  EXPECT_EQ(e.balanced_accuracy, 0.0);
  EXPECT_TRUE(std::isnan(evaluate(std::vector<int>{-1, -1, -1, -1, -1}, p, 2).majority));
  // A row of an unknown class is none of class 1: 0.9 before 0.4 and 0.3.
  EXPECT_NEAR(e.classes[1].auroc, (2.0 + 2.0) / 6.0, 1e-15);
  EXPECT_TRUE(std::isnan(e.classes[0].auroc)) << "no row of the class";
  EXPECT_THROW(evaluate(std::vector<int>{0, 1, 0, 1, 0}, p, 2, {.weights = {1.0, 2.0}}), Error);
}

TEST(Evaluation, HugeWeightsAreNoInfinity) {
  const Predictions p = predictions_of(two({0.1F, 0.9F, 0.6F}));
  const std::vector<int> truth{0, 1, 0};
  const Evaluation e = evaluate(truth, p, 2, {.weights = {1e308, 1e308, 1e308}});
  EXPECT_NEAR(e.metrics.accuracy, 2.0 / 3.0, 1e-15);
  EXPECT_NEAR(e.log_loss, evaluate(truth, p, 2).log_loss, 1e-12);
}

TEST(Evaluation, RowsWithoutAnAnswerHaveNoRankButAThreshold) {
  Predictions p = predictions_of(two({0.1F, 0.9F, 0.5F}));
  p.labels[2] = Predictions::kNoAnswer;
  p.probabilities(2, 0) = p.probabilities(2, 1) = std::nanf("");
  const std::vector<int> truth{0, 1, 1};
  const Evaluation e = evaluate(truth, p, 2, {.positive = 1, .costs = Costs{}});
  EXPECT_TRUE(std::isnan(e.classes[1].auroc));
  EXPECT_TRUE(std::isnan(e.classes[1].average_precision));
  EXPECT_EQ(e.thresholds->cheapest->recall, 0.5);  // what has no answer is never flagged
  EXPECT_EQ(evaluate(truth, p, 2).thresholds->positive, 0U) << "the rarer one";
}

TEST(Costs, AreRead) {
  EXPECT_EQ(parse_costs("FP=2,FN=5").false_positive, 2.0);
  EXPECT_EQ(parse_costs("FN=5,FP=2").false_negative, 5.0);
  EXPECT_EQ(parse_costs("FN=5").false_positive, 1.0);
  for (const std::string wrong :
       {"", "5", "FN", "FN=", "FN=0", "FN=-1", "FN=nan", "FN=inf", "fn=2", "FN=1,FN=2", "FN=1,"})
    EXPECT_THROW(parse_costs(wrong), UsageError) << wrong;
}

double cheapest(const std::vector<float>& second, const std::vector<int>& truth, const Costs& costs,
                const std::vector<double>& weights = {}) {
  return score_thresholds(truth, two(second), 1, costs, weights).cheapest->threshold;
}

TEST(Thresholds, TheCheapestByHand) {
  // Perfectly told apart: all thresholds in (0.2, 0.8] cost nothing. The best in theory is among
  // them, or the middle is taken.
  EXPECT_EQ(cheapest({0.1F, 0.2F, 0.8F}, {0, 0, 1}, {1.0, 1.0}), 0.5);
  EXPECT_EQ(cheapest({0.1F, 0.2F, 0.8F}, {0, 0, 1}, {1.0, 3.0}), 0.25);
  EXPECT_NEAR(cheapest({0.1F, 0.2F, 0.8F}, {0, 0, 1}, {1.0, 99.0}), 0.5, 1e-7);
  // The lowest probability is of the positive class, and dear: everything is flagged.
  EXPECT_NEAR(cheapest({0.1F, 0.2F, 0.8F}, {1, 0, 0}, {1.0, 9.0}), 0.1, 1e-7);
  EXPECT_NEAR(cheapest({0.3F, 0.4F, 0.8F}, {1, 0, 0}, {1.0, 99.0}), 0.01, 1e-15);
  // Nothing is flagged.
  EXPECT_NEAR(cheapest({0.1F, 0.2F, 0.8F}, {0, 0, 0}, {1.0, 1.0}), 0.9, 1e-7);
  // A probability of 0 is flagged by the threshold 0 only, one of 1 by all.
  EXPECT_EQ(cheapest({0.0F, 0.5F}, {1, 0}, {1.0, 9.0}), 0.0);
  EXPECT_EQ(cheapest({1.0F, 1.0F}, {0, 0}, {9.0, 1.0}), 0.9);
  // Weights count: the row at 0.3 is worth ten.
  EXPECT_GT(cheapest({0.3F, 0.4F, 0.6F}, {0, 1, 0}, {1.0, 1.0}, {1.0, 1.0, 10.0}), 0.6);
  EXPECT_LE(cheapest({0.3F, 0.4F, 0.6F}, {0, 1, 0}, {1.0, 1.0}, {1.0, 10.0, 1.0}), 0.4 + 1e-7);
}

// No threshold whatever costs less, and the cost is that of its errors.
TEST(Thresholds, NoOtherIsCheaper) {
  Stream draw(5, "thresholds");
  for (int trial = 0; trial < 200; ++trial) {
    const std::size_t rows = 1 + draw.below(12);
    std::vector<float> second;
    std::vector<int> truth;
    std::vector<double> weights;
    for (std::size_t i = 0; i < rows; ++i) {
      second.push_back(static_cast<float>(draw.below(6)) / 5.0F);
      truth.push_back(static_cast<int>(draw.below(2)));
      weights.push_back(0.5 + draw.uniform());
    }
    const Costs costs{0.1 + draw.uniform(), 0.1 + draw.uniform()};
    const Matrix p = two(second);
    const Thresholds found = score_thresholds(truth, p, 1, costs, weights);
    const ThresholdScore& best = *found.cheapest;
    EXPECT_TRUE(best.threshold >= 0.0 && best.threshold <= 1.0);
    EXPECT_NEAR(*score_threshold(best.threshold, truth, p, 1, costs, weights).cost, *best.cost,
                1e-12);
    for (double t = 0.0; t <= 1.0; t += 0.025)
      EXPECT_GE(*score_threshold(t, truth, p, 1, costs, weights).cost, *best.cost - 1e-12);
  }
}

TEST(Thresholds, AreOfTwoClasses) {
  EXPECT_THROW(score_thresholds(std::vector<int>{0}, Matrix(1, 3), 1), UsageError);
  EXPECT_EQ(rarer_class(std::vector<int>{0, 1, 1, -1}), 0U);
  EXPECT_EQ(rarer_class(std::vector<int>{0, 1}), 1U);
  const Predictions p = predictions_of(Matrix(1, 3, {0.2F, 0.3F, 0.5F}));
  EXPECT_THROW(evaluate(std::vector<int>{0}, p, 3, {.costs = Costs{}}), UsageError);
  EXPECT_FALSE(evaluate(std::vector<int>{0}, p, 3).thresholds);
}

TEST(Decision, ChoosesTheLabelByTheProbability) {
  const Matrix logits(3, 2, {0.0F, 1.0F, 0.0F, -1.0F, std::nanf(""), 0.0F});
  const auto labels = [&](const Decision& decision) {
    Readout readout;
    readout.decision = decision;
    return read_out(logits, readout).labels;
  };
  using List = std::vector<int>;
  EXPECT_EQ(labels({1, 0.5}), (List{1, 0, -1}));
  EXPECT_EQ(labels({1, 0.2}), (List{1, 1, -1}));
  EXPECT_EQ(labels({1, 0.9}), (List{0, 0, -1}));
  EXPECT_EQ(labels({0, 0.2}), (List{0, 0, -1}));
  EXPECT_EQ(labels({0, 0.9}), (List{1, 1, -1}));
  Readout readout;
  readout.decision = Decision{};
  EXPECT_THROW(read_out(Matrix(1, 3), readout), Error);
}

TEST(Decision, IsPartOfTheModelFile) {
  Model model = testing::small_model();
  const std::string before = write_model(model);
  EXPECT_NE(before.find("\\\"format\\\":1,"), std::string::npos) << "as of old where it has none";
  model.readout.decision = Decision{0, 0.25};
  const std::string bytes = write_model(model);
  EXPECT_NE(bytes.find("\\\"format\\\":6,"), std::string::npos);
  EXPECT_EQ(read_model(bytes, "m").readout.decision, (Decision{0, 0.25}));
  const auto altered = [&](const std::string& from, const std::string& to) -> std::string {
    std::string changed = bytes;
    const std::size_t at = changed.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    changed.replace(at, from.size(), to);  // of the same length, as the file says how long it is
    try {
      read_model(changed, "m");
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  };
  const std::string invalid = "m: not a valid model file: ";
  EXPECT_EQ(altered("\\\"threshold\\\":0.25", "\\\"threshold\\\":1.25"),
            invalid + "a threshold that is none between two classes");
  EXPECT_EQ(altered("\\\"threshold\\\":0.25", "\\\"threshold\\\":-0.2"),
            invalid + "a threshold that is none between two classes");
  EXPECT_EQ(altered("\\\"positive\\\":0", "\\\"positive\\\":2"),
            invalid + "a threshold that is none between two classes");
  EXPECT_NE(altered("\\\"threshold\\\":0.25", "\\\"threshold\\\":null"), "no error");
  EXPECT_NE(altered("\\\"positive\\\":0", "\\\"negative\\\":0"), "no error");
  for (const Decision bad :
       {Decision{2, 0.5}, Decision{0, -0.1}, Decision{0, 1.1}, Decision{0, std::nan("")}}) {
    model.readout.decision = bad;
    EXPECT_THROW(write_model(model), Error);
  }
}

}  // namespace
}  // namespace uaspl
