// Methods without stages: every one of them learns, judges itself or is judged, gives the same bits
// for any number of threads, and a model that comes back from its file as it was.
#include "uaspl/train/learn.hpp"

#include <cmath>
#include <numeric>

#include "tests/support.hpp"
#include "uaspl/base/error.hpp"
#include "uaspl/data/table/load.hpp"
#include "uaspl/model/model_file.hpp"
#include "uaspl/model/predictor.hpp"
#include "uaspl/train/train_model.hpp"

namespace uaspl {
namespace {

// Two clouds, a category that says something, missing cells, and a column of noise.
std::string table(std::size_t rows, std::uint64_t seed) {
  Stream stream(seed, "table");
  std::string text = "x,colour,noise,class\n";
  const char* colours[] = {"red", "green", "blue"};
  for (std::size_t i = 0; i < rows; ++i) {
    const bool yes = i % 2 == 0;
    const double x = (yes ? 1.0 : -1.0) + stream.normal();
    const std::size_t colour = stream.uniform() < 0.7 ? (yes ? 0 : 1) : 2;
    text += (i % 10 == 3 ? std::string() : std::to_string(x)) + "," + colours[colour] + "," +
            std::to_string(stream.normal()) + "," + (yes ? "yes" : "no") + "\n";
  }
  return text;
}

Dataset data(std::size_t rows = 160, std::uint64_t seed = 1) {
  return parse_dataset(table(rows, seed), "table", {.target = "class", .missing = Missing::kKeep});
}

std::vector<int> all_rows(const Dataset& of) {
  std::vector<int> rows(of.rows());
  std::iota(rows.begin(), rows.end(), 0);
  return rows;
}

class LearnContract : public ::testing::TestWithParam<const MethodInfo*> {
 protected:
  ChosenMethod method() const {
    ChosenMethod chosen{GetParam(), Settings(GetParam()->options)};
    chosen.settings.set("trees", "20");
    return chosen;
  }
  Model learned(const Dataset& from, std::size_t threads = 1) const {
    return fit_model(from, rows_to_train_on(from, all_rows(from)), method(),
                     {.resources = {.threads = threads}})
        .model;
  }
};

TEST_P(LearnContract, LearnsWhatThereIsToLearn) {
  const Dataset train = data();
  const Predictor predictor(learned(train));
  const Dataset test = data(400, 2);
  const Predictions said = predictor.predict(test, all_rows(test));
  std::size_t right = 0;
  for (std::size_t i = 0; i < test.rows(); ++i) {
    right += said.labels[i] == test.labels[i];
    const auto p = said.probabilities.row(i);
    EXPECT_NEAR(p[0] + p[1], 1.0F, 1e-5F);
    EXPECT_EQ(said.labels[i], p[1] > p[0] ? 1 : 0);  // the label is the likeliest class
    EXPECT_GT(said.vacuity[i], 0.0F);
    EXPECT_LE(said.vacuity[i], 1.0F);
  }
  EXPECT_GT(right, 320U);
}

TEST_P(LearnContract, ThreadsDoNotChangeAByte) {
  const Dataset train = data();
  EXPECT_EQ(write_model(learned(train, 1)), write_model(learned(train, 3)));
}

TEST_P(LearnContract, AModelComesBackFromItsFile) {
  const Model model = learned(data());
  const std::string bytes = write_model(model);
  const Model read = read_model(bytes, "m");
  EXPECT_EQ(write_model(read), bytes);
  const Dataset test = data(50, 3);
  const Predictions before = Predictor(model).predict(test, all_rows(test));
  const Predictions after = Predictor(read).predict(test, all_rows(test));
  EXPECT_TRUE(std::ranges::equal(before.probabilities.values(), after.probabilities.values()));
  EXPECT_EQ(before.vacuity, after.vacuity);
}

TEST_P(LearnContract, FarRowsAndUnseenLevelsHaveLessEvidenceAndTheSameLabel) {
  const Predictor predictor(learned(data()));
  const NamedRow usual{{"x", 1.0}, {"colour", "red"}, {"noise", 0.0}};
  const auto with = [&](const std::string& name, const Value& value) {
    NamedRow row = usual;
    row.insert_or_assign(name, value);
    return predictor.predict_row(row);
  };
  EXPECT_LT(predictor.predict_row(usual).vacuity, 0.5F);
  EXPECT_GT(with("x", 1e6).vacuity, 0.99F);
  EXPECT_EQ(with("x", 1e6).label, "yes");
  const Prediction unseen = with("colour", "violet");
  for (const char* colour : {"red", "green", "blue"})
    EXPECT_GT(unseen.vacuity, with("colour", colour).vacuity) << colour;
}

TEST_P(LearnContract, StopsWhenItIsTold) {
  class Stop final : public Observer {
   public:
    bool stop() override { return true; }
  } stop;
  const Dataset train = data();
  EXPECT_TRUE(fit_model(train, rows_to_train_on(train, all_rows(train)), method(), {}, &stop)
                  .report.stopped);
}

TEST_P(LearnContract, ManagesTinyAndLopsidedTables) {
  const Dataset tiny = data(6);
  EXPECT_NO_THROW(Predictor(learned(tiny)).predict(tiny, all_rows(tiny)));
  std::string text = "x,class\n";
  for (int i = 0; i < 30; ++i)
    text += std::to_string(i / 3) + (i < 28 ? ",a\n" : i == 28 ? ",b\n" : ",c\n");
  const Dataset rare = parse_dataset(text, "rare", {.target = "class", .missing = Missing::kKeep});
  EXPECT_EQ(Predictor(learned(rare)).predict(rare, all_rows(rare)).probabilities.cols(), 3U);
}

TEST_P(LearnContract, MissingCellsMayCountAsTheMean) {
  Dataset train = data();
  train.table().schema.missing = Missing::kMean;
  EXPECT_NO_THROW(Predictor(learned(train)).predict(train, all_rows(train)));
}

TEST_P(LearnContract, DamagedFilesAreRefusedOrPredictSomething) {
  const std::string bytes = write_model(learned(data(40)));
  const Dataset test = data(5, 3);
  Stream stream(1, "damage");
  for (int i = 0; i < 300; ++i) {
    std::string damaged = bytes;
    for (int k = 0; k < 3; ++k)
      damaged[stream.below(damaged.size())] = static_cast<char>(stream.below(256));
    try {
      Predictor(read_model(damaged, "m")).predict(test, all_rows(test));
    } catch (const Error&) {  // said so
    }
  }
}

std::vector<const MethodInfo*> without_stages() {
  std::vector<const MethodInfo*> all;
  for (const MethodInfo& info : methods())
    if (!info.has_stages()) all.push_back(&info);
  return all;
}

INSTANTIATE_TEST_SUITE_P(Table, LearnContract, ::testing::ValuesIn(without_stages()),
                         [](const auto& one) { return std::string(one.param->name); });

// Labels that nothing tells can be learned by heart, but not foreseen.
TEST(Committee, IsJudgedOutOfFold) {
  Dataset train = data();
  Stream stream(5, "labels");
  for (int& label : train.labels) label = static_cast<int>(stream.below(2));
  const ChosenMethod method = choose_methods(std::vector<std::string>{"uaspl_a"}).front();
  const TrainedModel trained = train_model(train, method, {});
  ASSERT_TRUE(trained.held_out.has_value());
  EXPECT_EQ(trained.model.rows, train.rows());
  EXPECT_EQ(trained.held_out->rows, train.rows());
  EXPECT_GT(trained.held_out->metrics.accuracy, 0.35);
  EXPECT_LT(trained.held_out->metrics.accuracy, 0.65);
}

// What a leaf's rows are worth as evidence is learned from the rows that its tree has not drawn.
TEST(EvidentialForest, HasTheAmountOfEvidenceThatItsRowsSupport) {
  const auto clouds = [](std::uint64_t seed) {  // far from each other: leaves are right
    Stream stream(seed, "clouds");
    std::string text = "x,y,class\n";
    for (int i = 0; i < 100; ++i)
      text += std::to_string(4 * (i % 2) + stream.normal() / 2.0) + "," +
              std::to_string(stream.normal()) + (i % 2 == 0 ? ",no\n" : ",yes\n");
    return parse_dataset(text, "clouds", {.target = "class"});
  };
  const Dataset train = clouds(1);
  const ChosenMethod method = choose_methods(std::vector<std::string>{"evidential_forest"}).front();
  const Model model = fit_model(train, rows_to_train_on(train, all_rows(train)), method, {}).model;
  Model plain = model;
  Forest forest = Forest::load(model.members.front().weights);
  EXPECT_GT(forest.evidence_scale(), 1.0);
  forest.set_evidence_scale(1.0);
  plain.members.front().weights = forest.save();
  const Dataset test = clouds(2);
  const auto loss = [&](const Model& of) {
    const Predictions said = Predictor(of).predict(test, all_rows(test));
    return evaluate(test.labels, said, 2).log_loss;
  };
  EXPECT_LT(loss(model), loss(plain));
}

TEST(Committee, FoldsAreStratified) {
  std::vector<int> labels;
  for (int i = 0; i < 103; ++i) labels.push_back(i < 10 ? 1 : 0);
  const auto fold = stratified_folds(labels, 2, 5, 7);
  for (int f = 0; f < 5; ++f) {
    int rare = 0;
    int all = 0;
    for (std::size_t i = 0; i < labels.size(); ++i)
      if (fold[i] == f) ++all, rare += labels[i];
    EXPECT_EQ(rare, 2);
    EXPECT_GE(all, 20);
    EXPECT_LE(all, 21);
  }
}

}  // namespace
}  // namespace uaspl
