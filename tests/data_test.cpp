// Reading, splitting, scaling and corrupting data.
#include <cmath>
#include <set>

#include "tests/support.hpp"
#include "uaspl/base/error.hpp"
#include "uaspl/data/catalogue.hpp"
#include "uaspl/data/encode.hpp"
#include "uaspl/data/noise.hpp"
#include "uaspl/data/split.hpp"
#include "uaspl/data/waveform.hpp"

namespace uaspl {
namespace {

namespace fs = std::filesystem;

TEST(Split, EqualsScikitLearn) {
  const auto golden = testing::reference("numerics.json")["splits"];
  ASSERT_EQ(golden.size(), 15U);
  for (const auto& one : golden) {
    const Split split = train_test_split(one["n"], 0.5, one["seed"]);
    EXPECT_EQ(split.train, one["train"].get<std::vector<int>>());
    EXPECT_EQ(split.test, one["test"].get<std::vector<int>>());
  }
}

TEST(Split, RefusesWhatLeavesNothing) {
  EXPECT_THROW(train_test_split(1, 0.5, 1), Error);
  EXPECT_THROW(train_test_split(10, 0.0, 1), Error);
  EXPECT_THROW(train_test_split(10, 1.0, 1), Error);
  EXPECT_EQ(train_test_split(2, 0.5, 1).test.size(), 1U);
}

TEST(Scaler, EqualsScikitLearn) {
  const auto golden = testing::reference("numerics.json")["scaler"];
  const auto rows = golden["x"].get<std::vector<std::vector<double>>>();
  DoubleMatrix x(rows.size(), rows[0].size());
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (std::size_t j = 0; j < rows[i].size(); ++j) x(i, j) = rows[i][j];
  const Scaler scaler = fit_scaler(x, testing::first_rows(rows.size()));
  for (std::size_t j = 0; j < x.cols(); ++j) {
    EXPECT_NEAR(scaler.mean[j], double(golden["mean"][j]), 1e-15);
    EXPECT_NEAR(scaler.scale[j], double(golden["scale"][j]), 1e-15);
  }
  const Matrix inputs = standardise(x, scaler);
  EXPECT_EQ(inputs(0, 2), 0.0F);  // a constant column
}

TEST(Scaler, IsFittedOnTheGivenRowsOnly) {
  DoubleMatrix x(3, 1);
  x(0, 0) = 1.0, x(1, 0) = 3.0, x(2, 0) = 1000.0;
  const Scaler scaler = fit_scaler(x, std::vector<int>{0, 1});
  EXPECT_EQ(scaler.mean[0], 2.0);
  EXPECT_EQ(scaler.scale[0], 1.0);
  EXPECT_EQ(standardise(x, scaler)(2, 0), 998.0F);
}

TEST(Scaler, PassesOverMissingValues) {
  DoubleMatrix x(4, 2);
  const double missing = std::nan("");
  x(0, 0) = 1.0, x(1, 0) = missing, x(2, 0) = 3.0, x(3, 0) = missing;
  for (std::size_t i = 0; i < 4; ++i) x(i, 1) = missing;
  const Scaler scaler = fit_scaler(x, testing::first_rows(4));
  EXPECT_EQ(scaler.mean, (std::vector<double>{2.0, 0.0}));
  EXPECT_EQ(scaler.scale, (std::vector<double>{1.0, 1.0}));
  const Matrix inputs = standardise(x, scaler);
  EXPECT_EQ(inputs(0, 0), -1.0F);
  EXPECT_EQ(inputs(1, 0), 0.0F);  // as the mean
  EXPECT_EQ(inputs(2, 1), 0.0F);
}

TEST(Noise, EqualsThePublishedCode) {
  const auto golden = testing::reference("numerics.json")["noise"];
  ASSERT_EQ(golden.size(), 4U);
  for (const auto& one : golden) {
    const auto kind = one["kind"] == "uniform" ? NoiseKind::kUniform : NoiseKind::kAsymmetric;
    const auto labels = one["labels"].get<std::vector<int>>();
    EXPECT_EQ(noisy_labels(labels, one["classes"], kind, one["ratio"], one["seed"]),
              one["noisy"].get<std::vector<int>>());
  }
}

TEST(Noise, FlipsAsNumPyDrawsThem) {
  std::vector<int> labels(40);
  for (std::size_t i = 0; i < labels.size(); ++i) labels[i] = static_cast<int>(i % 5);
  EXPECT_EQ(noisy_labels(labels, 5, NoiseKind::kFlip1, 0.4, 2025),
            (std::vector<int>{0, 3, 3, 2, 4, 0, 3, 2, 2, 0, 0, 1, 2, 2, 4, 0, 1, 2, 2, 4,
                              3, 3, 2, 3, 4, 0, 1, 2, 3, 0, 3, 1, 3, 2, 4, 3, 1, 3, 2, 4}));
  EXPECT_EQ(noisy_labels(labels, 5, NoiseKind::kFlip2, 0.4, 2025),
            (std::vector<int>{2, 4, 2, 4, 0, 1, 1, 2, 3, 4, 0, 1, 2, 4, 4, 0, 4, 3, 3, 4,
                              0, 1, 2, 4, 4, 2, 1, 2, 3, 4, 2, 1, 3, 3, 4, 2, 1, 3, 3, 1}));
  EXPECT_THROW(noisy_labels(labels, 2, NoiseKind::kFlip2, 0.4, 1), Error);
  EXPECT_EQ(parse_noise("flip2:0.2").kind, NoiseKind::kFlip2);
}

TEST(Noise, NoneAndAll) {
  const std::vector<int> labels{0, 1, 2, 0};
  EXPECT_EQ(noisy_labels(labels, 3, NoiseKind::kUniform, 0.0, 1), labels);
  EXPECT_EQ(noisy_labels(labels, 3, NoiseKind::kAsymmetric, 1.0, 1),
            (std::vector<int>{1, 2, 0, 1}));
  EXPECT_THROW(noisy_labels(labels, 3, NoiseKind::kUniform, 1.5, 1), Error);
}

class CatalogueTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("uaspl_catalogue_" + std::to_string(::getpid()));
    fs::create_directories(folder_ / "uci");
    std::ofstream(folder_ / "one.csv") << "y,a\n0,1\n1,2\n";
    std::ofstream(folder_ / "uci" / "two.csv") << "y,a\n0,1\n1,2\n1,3\n";
    std::ofstream(folder_ / "uci" / "INDEX.csv") << "file,rows\n";
  }
  void TearDown() override { fs::remove_all(folder_); }
  fs::path folder_;
};

TEST_F(CatalogueTest, FindsDataSetsByNameAndByPath) {
  EXPECT_EQ(dataset_names({folder_}), (std::vector<std::string>{"one", "two"}));
  EXPECT_EQ(open_dataset("two", {folder_}).rows(), 3U);
  EXPECT_EQ(open_dataset((folder_ / "one.csv").string(), {}).name, "one");
}

TEST_F(CatalogueTest, AnUnknownNameListsTheKnownOnes) {
  try {
    open_dataset("three", {folder_, "no/such/folder"});
    FAIL();
  } catch (const UnknownName& error) {
    EXPECT_EQ(std::string(error.what()), "unknown data set 'three'; known: one, two");
  }
}

TEST(Waveform, HasItsKnownMoments) {
  const Dataset data = make_waveform(30000, 1);
  ASSERT_EQ(data.features.cols(), 21U);
  std::vector<double> mean(21), square(21), count(3);
  for (std::size_t i = 0; i < data.rows(); ++i) {
    count[static_cast<std::size_t>(data.labels[i])] += 1;
    if (data.labels[i] != 0) continue;
    for (std::size_t j = 0; j < 21; ++j) mean[j] += data.features(i, j);
  }
  for (const double c : count) EXPECT_NEAR(c, 10000, 350);
  // Class 0 mixes the waves with tops at 11 and 15 half and half: 3 + 1 at 11, 2 + 2 at 13, 0 at 1.
  EXPECT_NEAR(mean[10] / count[0], 4.0, 0.06);
  EXPECT_NEAR(mean[12] / count[0], 4.0, 0.06);
  EXPECT_NEAR(mean[0] / count[0], 0.0, 0.04);
  for (std::size_t i = 0; i < data.rows(); ++i)
    if (data.labels[i] == 0) square[0] += data.features(i, 0) * data.features(i, 0);
  EXPECT_NEAR(square[0] / count[0], 1.0, 0.05);  // nothing but noise there
  EXPECT_TRUE(std::ranges::equal(data.features.row(5), make_waveform(10, 1).features.row(5)));
}

TEST(Data, ThePapersSetsHaveTheirKnownSizes) {
  const auto folder = testing::data_folder();
  if (!folder) GTEST_SKIP() << "UASPL_DATA names no folder with the paper's data sets";
  EXPECT_EQ(dataset_names({*folder}).size(), 25U);
  const Dataset heart = open_dataset("heart", {*folder});
  EXPECT_EQ(heart.rows(), 297U);
  EXPECT_EQ(heart.dropped, 6U);
  EXPECT_EQ(open_dataset("ilpd", {*folder}).rows(), 579U);
  for (const auto& [name, features] : {std::pair("nhanes_age", 8U), {"steel_plates_4", 28U}}) {
    EXPECT_EQ(open_dataset(name, {*folder}).features.cols(), features);
    const Dataset rest = open_dataset(std::string(name) + "_no_leak", {*folder});
    EXPECT_EQ(rest.features.cols(), features - 1);
    EXPECT_EQ(rest.name, std::string(name) + "_no_leak");
  }
  EXPECT_THROW(open_dataset("heart_no_leak", {*folder}), UnknownName);
}

}  // namespace
}  // namespace uaspl
