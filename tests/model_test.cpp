// Model files: the same predictions after saving, files of this version, hostile files.
#include "uaspl/train/model.hpp"

#include <cmath>
#include <cstring>
#include <fstream>

#include "tests/support.hpp"
#include "uaspl/base/error.hpp"
#include "uaspl/data/load.hpp"
#include "uaspl/data/split.hpp"
#include "uaspl/train/learner.hpp"
#include "uaspl/train/predict.hpp"
#include "uaspl/train/safetensors.hpp"

namespace uaspl {
namespace {

namespace fs = std::filesystem;

Dataset small_set(int rows = 40) {
  std::string text = "kind,size,colour\n";
  for (int i = 0; i < rows; ++i)
    text += (i % 2 ? "yes," : "no,") + std::to_string(i % 2 + 0.01 * i) +
            (i % 3 ? ",red\n" : ",blue\n");
  return parse_dataset(text, "small");
}

Model small_model(const std::string& method = "uaspl") {
  const Dataset data = small_set();
  const auto chosen = choose_methods(std::vector<std::string>{method});
  const LearnOptions options{.hidden = {6, 5}, .training = {.passes = 20, .step = {}}};
  return learn(data, testing::first_rows(data.rows()), chosen[0], options).model;
}

TEST(Model, PredictsTheSameAfterSavingAndLoading) {
  for (const std::string method : {"uaspl", "spl"}) {
    const Model model = small_model(method);
    const fs::path file = fs::temp_directory_path() / ("uaspl_model_" + std::to_string(::getpid()));
    save_model(model, file);
    const Model loaded = load_model(file);
    fs::remove(file);
    EXPECT_EQ(write_model(loaded), write_model(model));
    const Dataset data = small_set();
    const Predictions a = Predictor(model).predict(data.features);
    const Predictions b = Predictor(loaded).predict(data.features);
    EXPECT_EQ(a.labels, b.labels);
    EXPECT_TRUE(std::ranges::equal(a.probabilities.values(), b.probabilities.values()));
    EXPECT_EQ(a.vacuity, b.vacuity);
    EXPECT_EQ(a.vacuity.empty(), method == "spl");
    EXPECT_EQ(score(data.labels, a.labels).accuracy, 1.0);
  }
}

// Many rows go block by block.
TEST(Model, ARowIsPredictedTheSameAmongManyOthers) {
  const Model model = small_model();
  const Dataset data = small_set();
  DoubleMatrix many(9000, data.features.cols());
  for (std::size_t i = 0; i < many.rows(); ++i) {
    std::ranges::copy(data.features.row(i % data.rows()), many.row(i).begin());
    many(i, 0) += 1e-4 * static_cast<double>(i);
  }
  Predictor predictor(model);
  const Predictions all = predictor.predict(many);
  ASSERT_EQ(all.labels.size(), many.rows());
  for (const int row : {0, 4095, 4096, 8191, 8192, 8999}) {
    const Predictions one = predictor.predict(many, std::vector<int>{row});
    const auto i = static_cast<std::size_t>(row);
    EXPECT_EQ(one.labels.at(0), all.labels[i]) << row;
    EXPECT_EQ(one.vacuity.at(0), all.vacuity[i]) << row;
    EXPECT_EQ(one.entropy.at(0), all.entropy[i]) << row;
    EXPECT_TRUE(std::ranges::equal(one.probabilities.row(0), all.probabilities.row(i))) << row;
  }
  EXPECT_TRUE(predictor.predict(many, std::vector<int>{}).labels.empty());
}

TEST(Model, PredictionsAreProbabilitiesWithTheirEntropy) {
  for (const std::string method : {"uaspl", "spl"}) {
    const Predictions p = Predictor(small_model(method)).predict(small_set().features);
    for (std::size_t i = 0; i < p.labels.size(); ++i) {
      const double a = p.probabilities(i, 0);
      const double b = p.probabilities(i, 1);
      EXPECT_NEAR(a + b, 1.0, 1e-6);
      EXPECT_NEAR(p.entropy[i], -a * std::log(a) - b * std::log(b), 1e-5);
      if (p.vacuity.empty()) continue;
      // alpha >= 1: no class has a smaller share than one count of the strength K/u.
      EXPECT_GE(std::min(a, b), p.vacuity[i] / 2 - 1e-6);
    }
  }
}

// Files written by this version; later ones must read them and predict the same.
TEST(Model, ReadsTheFilesOfVersionOne) {
  for (const std::string name : {"evidential", "softmax"}) {
    const fs::path folder = fs::path(UASPL_TEST_REFERENCE) / "models";
    const Model model = load_model(folder / (name + ".v1.model"));
    const Dataset data = load_by_schema(folder / "rows.csv", model.schema, {});
    const Predictions p = Predictor(model).predict(data.features);
    const auto expected = testing::reference("models/" + name + ".v1.json");
    ASSERT_EQ(p.labels, expected["labels"].get<std::vector<int>>());
    for (std::size_t i = 0; i < data.rows(); ++i)
      for (std::size_t k = 0; k < model.schema.classes.size(); ++k)
        EXPECT_NEAR(p.probabilities(i, k), double(expected["probabilities"][i][k]), 1e-5);
  }
}

std::string error_of(const std::string& bytes) {
  try {
    read_model(bytes, "m");
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

// A safetensors file with any header.
std::string with_header(const std::string& header, const std::string& data = "") {
  const std::uint64_t length = header.size();
  std::string bytes(8, '\0');
  std::memcpy(bytes.data(), &length, 8);
  return bytes + header + data;
}

TEST(Model, EveryTruncationIsAnError) {
  const std::string bytes = write_model(small_model());
  for (std::size_t size = 0; size < bytes.size(); ++size)
    ASSERT_TRUE(error_of(bytes.substr(0, size)).starts_with("m: not a valid model file")) << size;
  EXPECT_EQ(error_of(bytes + "x"), "m: not a valid model file: bytes follow its last tensor");
}

TEST(Model, AlteredFilesAreErrorsOrModels) {
  const std::string bytes = write_model(small_model());
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    for (const char other : {'\0', '"', '9', '\xff'}) {
      std::string altered = bytes;
      altered[i] = other;
      error_of(altered);  // no crash; what is wrong with it is another test's matter
    }
  }
}

TEST(Model, HostileHeadersAreRefused) {
  const auto error = [](const std::string& header, const std::string& data = "") {
    const std::string message = error_of(with_header(header, data));
    return message.substr(
        std::min(message.size(), std::string("m: not a valid model file: ").size()));
  };
  const std::string tensor = R"("dtype":"F32","shape":[1],"data_offsets")";
  EXPECT_EQ(error("[]"), "its header is not an object");
  EXPECT_EQ(error("{"), "its header is not valid JSON");
  EXPECT_EQ(error(R"({"a":1,"a":2})"), "its header has a key twice");
  EXPECT_EQ(error(R"({"a":)" + std::string(5000, '[') + std::string(5000, ']') + "}"),
            "its header is nested too deeply");
  EXPECT_EQ(error("{\"a\":{" + tensor + ":[0,8]}}", "12345678"),
            "tensor 'a' has offsets that do not fit its shape");
  EXPECT_EQ(error("{\"a\":{" + tensor + ":[0,4]}}", "123"), "tensor 'a' lies outside of the file");
  EXPECT_EQ(error("{\"a\":{" + tensor + ":[4,0]}}", "12345678"),
            "tensor 'a' lies outside of the file");
  EXPECT_EQ(error("{\"a\":{" + tensor + ":[0,4]},\"b\":{" + tensor + ":[0,4]}}", "1234"),
            "its tensors overlap or leave holes");
  EXPECT_EQ(error("{\"a\":{" + tensor + ":[4,8]}}", "12345678"),
            "its tensors overlap or leave holes");
  EXPECT_EQ(error(R"({"a":{"dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[0,0]}})"),
            "tensor 'a' has an impossible shape");
  EXPECT_EQ(error(R"({"a":{"dtype":"F32","shape":[-1],"data_offsets":[0,4]}})", "1234"),
            "a size is not a whole number");
  EXPECT_EQ(error(R"({"__metadata__":{"uaspl":1}})"), "its metadata is not of strings");
  std::string huge(16, '\xff');
  EXPECT_EQ(error_of(huge), "m: not a valid model file: its header does not fit");
}

TEST(Model, OtherAndNewerFilesSaySo) {
  EXPECT_EQ(error_of(with_header("{}")), "m: a safetensors file, but not a uaspl model");
  EXPECT_EQ(error_of(with_header(R"({"__metadata__":{"uaspl":"{\"format\":3}"}})")),
            "m: the model has format 3, this program reads up to 2; use a newer uaspl");
  EXPECT_EQ(error_of(with_header(R"({"__metadata__":{"uaspl":"{\"format\":1}"}})")),
            "m: not a valid model file: its description is not complete");
}

TEST(Model, RefusesWeightsThatDoNotFitItsDescription) {
  Model model = small_model();
  model.networks[0].at("fc2.bias").shape = {1, 5};
  EXPECT_EQ(error_of(write_model(model)),
            "m: not a valid model file: tensor network0.fc2.bias has another type or shape");
  model = small_model();
  model.scaler.scale[0] = 0.0;
  EXPECT_NE(error_of(write_model(model)), "no error");
}

TEST(Learn, RefusesWhatCannotBeLearned) {
  const auto error = [](const std::string& text) -> std::string {
    try {
      check_learnable(parse_dataset(text, "x"));
    } catch (const Error& e) {
      return e.what();
    }
    return "no error";
  };
  EXPECT_EQ(error("y,a\n1,2\n1,3\n"),
            "x: column 'y' has only one class ('1'), expected at least two");
  EXPECT_EQ(
      error("y,a\n1,2\n2,3\n3,4\n"),
      "x: column 'y' has 3 classes in 3 rows, expected two rows a class or more; is it the class?");
}

TEST(Learn, DoesNotDependOnTheThreads) {
  const Dataset data = small_set(600);
  const auto chosen = choose_methods(std::vector<std::string>{"uaspl"});
  LearnOptions options{.hidden = {16}, .training = {.passes = 10, .step = {}}};
  const auto rows = testing::first_rows(data.rows());
  const std::string one = write_model(learn(data, rows, chosen[0], options).model);
  options.threads = 3;
  EXPECT_EQ(write_model(learn(data, rows, chosen[0], options).model), one);
}

TEST(StratifiedSplit, TakesAShareOfEveryClass) {
  std::vector<int> labels(100, 0);
  std::fill(labels.begin() + 70, labels.end(), 1);
  labels[99] = 2;  // a class of one row
  const Split split = stratified_split(labels, 3, 0.2, 1);
  EXPECT_EQ(split.test.size(), 20U);
  EXPECT_EQ(std::ranges::count_if(split.test, [&](int i) { return labels[size_t(i)] == 1; }), 6);
  EXPECT_TRUE(std::ranges::binary_search(split.train, 99));
  EXPECT_EQ(split.train.size(), 80U);
  EXPECT_NE(split.test, stratified_split(labels, 3, 0.2, 2).test);
}

TEST(Metrics, PerClassScoresConfusionAndLogLoss) {
  const std::vector<int> truth{0, 0, 1, 1, -1};
  const std::vector<int> guess{0, 1, 1, 1, 0};
  const Confusion counts = confusion_matrix(truth, guess, 2);
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

}  // namespace
}  // namespace uaspl
