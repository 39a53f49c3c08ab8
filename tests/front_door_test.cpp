// The front door: training, saving, loading, predicting and evaluating, on files and on memory.
#include "uaspl/uaspl.hpp"

#include <cmath>
#include <fstream>

#include "tests/support.hpp"

namespace uaspl {
namespace {

const TrainOptions kShort{.fit = {.network = {"mlp", {8}}, .training = {.passes = 15, .step = {}}}};

std::string table_text(int rows) {
  std::string text = "size,colour,kind\n";
  for (int i = 0; i < rows; ++i)
    text += std::to_string(i % 2 + 0.01 * i) + (i % 3 ? ",red," : ",\"light, blue\",") +
            (i % 2 ? "yes\n" : "no\n");
  return text;
}

std::vector<NamedRow> table_rows(int rows) {
  std::vector<NamedRow> all;
  for (int i = 0; i < rows; ++i)
    all.push_back({{"size", std::stod(std::to_string(i % 2 + 0.01 * i))},
                   {"colour", i % 3 ? "red" : "light, blue"},
                   {"kind", i % 2 ? "yes" : "no"}});
  return all;
}

std::string error_of(const std::function<void()>& task) {
  try {
    task();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(FrontDoor, AFileAndTheSameRowsInMemoryGiveTheSameModel) {
  const testing::TemporaryFolder folder;
  const auto file = folder.path() / "table.csv";
  std::ofstream(file) << table_text(60);
  const TrainedModel from_file = train(file, {.target = "kind"}, "uaspl", kShort);
  const Dataset memory = make_table(table_rows(60), {.target = "kind"});
  TrainedModel from_memory = train(memory, "uaspl", kShort);
  EXPECT_EQ(from_file.held_out->metrics.accuracy, from_memory.held_out->metrics.accuracy);
  EXPECT_FALSE(from_file.model.data_sha256.empty());
  // Columns in memory come in the order of their names, and no file stands behind them.
  const Predictor a(from_file.model);
  const Predictor b(from_memory.model);
  EXPECT_EQ(evaluate(a, file).metrics.accuracy, evaluate(b, memory).metrics.accuracy);
  EXPECT_EQ(from_file.model.target.classes, from_memory.model.target.classes);
}

TEST(FrontDoor, AModelIsTheSameAfterSavingAndLoading) {
  const testing::TemporaryFolder folder;
  const Dataset data = make_table(table_rows(60), {.target = "kind"});
  const TrainedModel trained = train(data, "uaspl", kShort);
  save_model(trained.model, folder.path() / "m.model");
  const Predictor before(trained.model);
  const Predictor after(load_model(folder.path() / "m.model"));
  for (const NamedRow& row : table_rows(10)) {
    const Prediction x = before.predict_row(row);
    const Prediction y = after.predict_row(row);
    EXPECT_EQ(x.label, y.label);
    EXPECT_EQ(x.probabilities, y.probabilities);
    EXPECT_EQ(x.vacuity, y.vacuity);
  }
  EXPECT_EQ(after.predict_rows(table_rows(10)).labels.size(), 10U);
}

TEST(FrontDoor, NumbersInMemoryAreATable) {
  DoubleMatrix features(80, 2);
  std::vector<int> labels;
  for (std::size_t i = 0; i < 80; ++i) {
    labels.push_back(static_cast<int>(i % 3));
    features(i, 0) = static_cast<double>(i % 3) + 0.01 * static_cast<double>(i % 7);
    features(i, 1) = i == 5 ? NAN : 1.0;
  }
  const Dataset data = make_table(features, labels);
  EXPECT_EQ(data.target.classes, (std::vector<std::string>{"0", "1", "2"}));
  const TrainedModel trained = train(data, "spl", kShort);
  EXPECT_EQ(trained.model.rows, 80U);
  const Prediction p = Predictor(trained.model).predict_row({{"c1", 2.0}, {"c2", NAN}});
  EXPECT_EQ(p.label, "2");
  EXPECT_FALSE(p.vacuity.has_value());
  EXPECT_NE(error_of([&] {
              make_table(features, {0, 1});
            }).find("80 rows and 2 labels"),
            std::string::npos);
  labels[3] = -1;
  EXPECT_NE(error_of([&] { make_table(features, labels); }).find("below 0"), std::string::npos);
  labels[3] = 7;
  EXPECT_NE(error_of([&] {
              make_table(features, labels, {}, {"a", "b"});
            }).find("label 7"),
            std::string::npos);
  EXPECT_NE(error_of([&] {
              make_table(features, std::vector<int>(80), {"one"});
            }).find("1 names for 2 columns"),
            std::string::npos);
}

TEST(FrontDoor, EvaluationComparesClassesByNameAndRefusesOtherColumns) {
  const Dataset data = make_table(table_rows(60), {.target = "kind"});
  const Predictor predictor(train(data, "uaspl", kShort).model);
  const Evaluation all = evaluate(predictor, data);
  EXPECT_EQ(all.rows, 60U);
  EXPECT_EQ(all.unknown, 0U);
  Dataset renamed = data;
  renamed.target.classes = {"no", "perhaps"};
  EXPECT_EQ(evaluate(predictor, renamed).unknown, 30U);
  Dataset other = make_table(table_rows(2), {.target = "kind"});
  other.table().schema.features[0].levels = {"green"};
  EXPECT_NE(error_of([&] { evaluate(predictor, other); }).find("load_dataset_for"),
            std::string::npos);
}

TEST(FrontDoor, SaysWhatIsWrong) {
  const Dataset data = make_table(table_rows(60), {.target = "kind"});
  EXPECT_NE(error_of([&] { train(data, "no_such"); }).find("unknown method 'no_such'; known: "),
            std::string::npos);
  EXPECT_NE(error_of([&] { train("no_such.csv"); }).find("no_such.csv"), std::string::npos);
  EXPECT_NE(error_of([&] {
              open_dataset("no_such_set", {testing::shipped_data_folder()});
            }).find("unknown data set 'no_such_set'; known: breast_cancer"),
            std::string::npos);
  EXPECT_NE(error_of([&] { make_table(std::vector<NamedRow>{}, {}); }).find("no row"),
            std::string::npos);
}

TEST(FrontDoor, OpenDatasetLooksInTheFolderOfTheEnvironment) {
  const char* const before = std::getenv("UASPL_DATA");
  const std::string kept = before ? before : "";
  ::setenv("UASPL_DATA", testing::shipped_data_folder().c_str(), 1);
  EXPECT_EQ(open_dataset("iris").rows(), 150U);
  before ? ::setenv("UASPL_DATA", kept.c_str(), 1) : ::unsetenv("UASPL_DATA");
}

}  // namespace
}  // namespace uaspl
