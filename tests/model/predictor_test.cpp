// One predictor for everybody: many threads at once, rows by the names of their columns.
#include "uaspl/model/predictor.hpp"

#include "uaspl/model/evaluation.hpp"

#include <atomic>
#include <cmath>
#include <limits>
#include <thread>

#include "tests/models.hpp"
#include "uaspl/base/error.hpp"

namespace uaspl {
namespace {

using testing::small_model;
using testing::small_set;

constexpr std::size_t kRows = 5300;

// Rows like those of the small set, all of them different.
DoubleMatrix many_rows() {
  const Dataset data = small_set();
  const DoubleMatrix& few = data.table().features;
  DoubleMatrix many(kRows, few.cols());
  for (std::size_t i = 0; i < kRows; ++i) {
    std::ranges::copy(few.row(i % few.rows()), many.row(i).begin());
    many(i, 0) += 1e-4 * static_cast<double>(i);
  }
  return many;
}

// The same row by the names of its columns.
NamedRow named(const DoubleMatrix& rows, std::size_t i) {
  return {{"size", rows(i, 0)}, {"colour", rows(i, 1) == 0.0 ? "blue" : "red"}};
}

// Whether rows that were predicted together are those of the whole table, bit for bit.
bool same(const Predictions& part, const Predictions& all, std::span<const int> rows) {
  bool equal = part.rows() == rows.size() && part.vacuity.size() == rows.size();
  for (std::size_t i = 0; equal && i < rows.size(); ++i) {
    const auto row = static_cast<std::size_t>(rows[i]);
    equal = part.labels[i] == all.labels[row] && part.entropy[i] == all.entropy[row] &&
            part.vacuity[i] == all.vacuity[row] &&
            std::ranges::equal(part.probabilities.row(i), all.probabilities.row(row)) &&
            std::ranges::equal(part.evidence.row(i), all.evidence.row(row));
  }
  return equal;
}

bool same(const Prediction& one, const Predictions& all, std::size_t row, const Target& target) {
  return one.label == target.classes[static_cast<std::size_t>(all.labels[row])] &&
         one.entropy == all.entropy[row] && one.vacuity == all.vacuity[row] &&
         std::ranges::equal(one.probabilities, all.probabilities.row(row)) &&
         std::ranges::equal(one.evidence, all.evidence.row(row));
}

// Eight threads ask one predictor for different rows, a few or many at a time, and each answer is
// compared with that of a predictor which nobody else asks.
void expect_the_same_for_all(const Model& model, const Resources& resources) {
  const DoubleMatrix table = many_rows();
  const Predictions expected = Predictor(model).predict(table);
  const Predictor shared(model, resources);
  std::atomic<int> wrong{0};
  std::atomic<int> answers{0};
  {
    std::vector<std::jthread> threads;
    for (std::size_t t = 0; t < 8; ++t)
      threads.emplace_back([&, t] {
        Stream stream(t, "rows");
        const auto some = [&](std::size_t count) {
          std::vector<int> rows(count);
          for (int& row : rows) row = static_cast<int>(stream.below(kRows));
          return rows;
        };
        const auto ask = [&](std::size_t count) {
          const std::vector<int> rows = some(count);
          wrong += !same(shared.predict(table, rows), expected, rows);
          ++answers;
        };
        for (int round = 0; round < 6; ++round) {
          for (int again = 0; again < 20; ++again) ask(1);
          for (int again = 0; again < 4; ++again) ask(300);
          if (round % 3 == 0) ask(5000);  // more than a block
          for (int again = 0; again < 20; ++again) {
            const std::size_t row = stream.below(kRows);
            wrong += !same(shared.predict_row(named(table, row)), expected, row, model.target);
            ++answers;
          }
        }
      });
  }
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(answers, 8 * (6 * (20 + 4 + 20) + 2));
}

TEST(PredictorThreads, EightShareOnePredictor) { expect_the_same_for_all(small_model(), {}); }

TEST(PredictorThreads, EightShareOnePredictorThatHasWorkersOfItsOwn) {
  expect_the_same_for_all(small_model(), {.threads = 2});
}

TEST(PredictorThreads, EightShareOneOfTwoMembers) {
  expect_the_same_for_all(testing::two_member_model(), {.threads = 2});
}

TEST(PredictorThreads, ErrorsOfOneDoNotDisturbTheOthers) {
  const Model model = small_model();
  const DoubleMatrix table = many_rows();
  const Predictions expected = Predictor(model).predict(table);
  const Predictor shared(model);
  std::atomic<int> wrong{0};
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 8; ++t)
      threads.emplace_back([&, t] {
        for (int round = 0; round < 40; ++round) {
          if (t % 2 == 0) {
            EXPECT_THROW(shared.predict_row({{"size", "wide"}, {"colour", "red"}}), Error);
            EXPECT_THROW(shared.predict(table, std::vector<int>{0, -1}), Error);
          } else {
            const std::vector<int> rows{round, t, 17 * round};
            wrong += !same(shared.predict(table, rows), expected, rows);
          }
        }
      });
  }
  EXPECT_EQ(wrong, 0);
}

std::string error_of(const Predictor& predictor, const NamedRow& row) {
  try {
    predictor.predict_row(row);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(PredictRow, TakesNumbersAndTextInAnyOrderAndPassesOverMore) {
  for (const std::string method : {"uaspl", "spl"}) {
    const Predictor predictor(small_model(method));
    DoubleMatrix features(2, 2, {1.05, 1.0, 0.25, 0.0});
    const Predictions expected = predictor.predict(features);
    const Prediction red = predictor.predict_row({{"size", 1.05}, {"colour", "red"}});
    const Prediction blue = predictor.predict_row(
        {{"weight", 7}, {"colour", std::string("blue")}, {"note", "none"}, {"size", "0.25"}});
    for (const auto& [row, one] : {std::pair<std::size_t, const Prediction&>{0, red}, {1, blue}}) {
      EXPECT_EQ(one.label, predictor.model().target.classes[size_t(expected.labels[row])]);
      EXPECT_TRUE(std::ranges::equal(one.probabilities, expected.probabilities.row(row)));
      EXPECT_EQ(one.entropy, expected.entropy[row]);
      EXPECT_EQ(one.vacuity.has_value(), method == "uaspl");
      EXPECT_EQ(one.evidence.size(), method == "uaspl" ? 2U : 0U);
      if (one.vacuity) {
        EXPECT_EQ(*one.vacuity, expected.vacuity[row]);
      }
    }
    EXPECT_EQ(red.label, "yes");
    EXPECT_EQ(blue.label, "no");
  }
}

TEST(PredictRow, SaysWhatIsWrongWithARow) {
  const Predictor predictor(small_model());
  EXPECT_EQ(error_of(predictor, {{"size", 1}}), "row: 1 column(s) missing: colour");
  EXPECT_EQ(error_of(predictor, {}), "row: 2 column(s) missing: size, colour");
  EXPECT_EQ(error_of(predictor, {{"size", "wide"}, {"colour", "red"}}),
            "row: column 'size': 'wide' is not a number");
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(error_of(predictor, {{"size", infinity}, {"colour", "red"}}),
            "row: column 'size': 'inf' is not a finite number");
}

TEST(PredictRow, CategoriesThatAreNumbersMayBeGivenAsNumbers) {
  std::string text = "y,a\n";
  for (int i = 0; i < 30; ++i) text += i % 2 ? "p,9\n" : "q,10\n";
  const Dataset data = parse_dataset(text, "numbers", {.categorical = {"a"}});
  const FitOptions options{.network = {"mlp", {4}}, .training = {.passes = 20, .step = {}}};
  const auto chosen = choose_methods(std::vector<std::string>{"uaspl"});
  const Predictor predictor(
      fit_model(data, rows_to_train_on(data, testing::first_rows(30)), chosen[0], options).model);
  EXPECT_EQ(predictor.predict_row({{"a", 9}}).label, "p");
  EXPECT_EQ(predictor.predict_row({{"a", 10.0}}).label, "q");
  EXPECT_EQ(predictor.predict_row({{"a", "9"}}).probabilities,
            predictor.predict_row({{"a", 9}}).probabilities);
  EXPECT_EQ(predictor.predict_row({{"a", 9.5}}).unknown, 1);
}

TEST(PredictRow, MissingValuesAreTheMeanOrAnError) {
  const double nan = std::nan("");
  for (const Missing missing : {Missing::kDrop, Missing::kMean, Missing::kError}) {
    Model model = small_model();
    std::get<TableEncoder>(model.encoder).schema.missing = missing;
    const Predictor predictor(model);
    for (const Value& none : {Value(nan), Value(""), Value("?"), Value("NA"), Value("nan")}) {
      if (missing != Missing::kMean) {
        EXPECT_EQ(error_of(predictor, {{"size", none}, {"colour", "red"}}),
                  "row: column 'size': a value is missing");
        EXPECT_EQ(error_of(predictor, {{"size", 1}, {"colour", none}}),
                  "row: column 'colour': a value is missing");
        continue;
      }
      const std::vector<double>& mean = model.table().scaler.mean;
      EXPECT_EQ(predictor.predict_row({{"size", none}, {"colour", "red"}}).probabilities,
                predictor.predict_row({{"size", mean[0]}, {"colour", "red"}}).probabilities);
      const Predictions expected = predictor.predict(DoubleMatrix(1, 2, {1.0, nan}));
      EXPECT_TRUE(
          std::ranges::equal(predictor.predict_row({{"size", 1}, {"colour", none}}).probabilities,
                             expected.probabilities.values()));
    }
  }
}

// Far beyond what a float carries through a network, nothing may look like certainty.
TEST(Predictor, ARowWithoutAFiniteAnswerSaysSo) {
  for (const char* method : {"spl", "uaspl"}) {
    const Predictor predictor(testing::small_model(method));
    // As far away as a float can be after scaling: the network's own sums leave its range.
    const Scaler& scaler = predictor.model().table().scaler;
    const double far = scaler.mean[0] - 3.3e38 * scaler.scale[0];
    const Prediction one = predictor.predict_row({{"size", far}, {"colour", "red"}});
    EXPECT_EQ(one.label, "");
    EXPECT_EQ(one.probabilities.size(), 2U);
    for (const float p : one.probabilities) EXPECT_TRUE(std::isnan(p));
    EXPECT_TRUE(std::isnan(one.entropy));
    if (one.vacuity) {
      EXPECT_EQ(*one.vacuity, 1.0F);
    }
    const DoubleMatrix rows(2, 2, {far, 1.0, 0.5, 1.0});
    const Predictions both = predictor.predict(rows);
    EXPECT_EQ(both.labels[0], Predictions::kNoAnswer);
    EXPECT_GE(both.labels[1], 0);
    const Evaluation scores = evaluate(std::vector<int>{0, both.labels[1]}, both, 2);
    EXPECT_EQ(scores.unanswered, 1U);
    EXPECT_EQ(scores.metrics.accuracy, 0.5);
  }
}

TEST(Predictor, RefusesRowsThatDoNotFit) {
  const Predictor predictor(small_model());
  const DoubleMatrix features = small_set().table().features;
  EXPECT_THROW(predictor.predict(features, std::vector<int>{40}), Error);
  EXPECT_THROW(predictor.predict(features, std::vector<int>{0, -1}), Error);
  EXPECT_THROW(predictor.predict(DoubleMatrix(2, 1)), Error);
  EXPECT_THROW(predictor.predict(DoubleMatrix(2, 3)), Error);
  EXPECT_THROW(predictor.predict(std::make_shared<ImageSet>(), std::vector<int>{}), Error);
  EXPECT_EQ(predictor.predict(features, std::vector<int>{}).rows(), 0U);
  EXPECT_EQ(predictor.predict(DoubleMatrix(0, 2)).rows(), 0U);
}

TEST(Predictor, TakesRowsOfADataSetAndMoves) {
  const Dataset data = small_set();
  Predictor first(small_model());
  const std::vector<int> rows{7, 3, 3};
  const Predictions expected = first.predict(data.table().features, rows);
  Predictor second(std::move(first));
  const Predictions again = second.predict(data, rows);
  EXPECT_EQ(again.labels, expected.labels);
  EXPECT_TRUE(std::ranges::equal(again.probabilities.values(), expected.probabilities.values()));
}

TEST(Predictor, RefusesWeightsThatAreNotThoseOfItsNetworks) {
  Model model = small_model();
  model.members[0].weights.erase("fc1.bias");
  EXPECT_THROW(Predictor{model}, Error);
  model = small_model();
  model.members[0].network.hidden = {6, 6};
  EXPECT_THROW(Predictor{model}, Error);
  model = small_model();
  model.members[0].network.name = "lenet";
  EXPECT_THROW(Predictor{model}, Error);
}

}  // namespace
}  // namespace uaspl
