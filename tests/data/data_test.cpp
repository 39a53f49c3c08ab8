// Noise in labels, and data sets that are found by their names.

#include "tests/support.hpp"
#include "uaspl/base/error.hpp"
#include "uaspl/data/catalogue.hpp"
#include "uaspl/data/noise.hpp"

namespace uaspl {
namespace {

namespace fs = std::filesystem;

std::vector<int> of_tables(const std::vector<int>& labels, std::size_t classes,
                           const LabelNoise& noise, std::uint32_t seed) {
  return noisy_labels(labels, classes, noise, NoiseDraws::kOfTables, seed);
}

TEST(Noise, EqualsThePublishedCode) {
  const auto golden = testing::reference("numerics.json")["noise"];
  ASSERT_EQ(golden.size(), 4U);
  for (const auto& one : golden) {
    const auto kind = one["kind"] == "uniform" ? NoiseKind::kUniform : NoiseKind::kAsymmetric;
    const auto labels = one["labels"].get<std::vector<int>>();
    EXPECT_EQ(of_tables(labels, one["classes"], {kind, one["ratio"]}, one["seed"]),
              one["noisy"].get<std::vector<int>>());
  }
}

TEST(Noise, FlipsAsNumPyDrawsThem) {
  std::vector<int> labels(40);
  for (std::size_t i = 0; i < labels.size(); ++i) labels[i] = static_cast<int>(i % 5);
  EXPECT_EQ(of_tables(labels, 5, {NoiseKind::kFlip1, 0.4}, 2025),
            (std::vector<int>{0, 3, 3, 2, 4, 0, 3, 2, 2, 0, 0, 1, 2, 2, 4, 0, 1, 2, 2, 4,
                              3, 3, 2, 3, 4, 0, 1, 2, 3, 0, 3, 1, 3, 2, 4, 3, 1, 3, 2, 4}));
  EXPECT_EQ(of_tables(labels, 5, {NoiseKind::kFlip2, 0.4}, 2025),
            (std::vector<int>{2, 4, 2, 4, 0, 1, 1, 2, 3, 4, 0, 1, 2, 4, 4, 0, 4, 3, 3, 4,
                              0, 1, 2, 4, 4, 2, 1, 2, 3, 4, 2, 1, 3, 3, 4, 2, 1, 3, 3, 1}));
  EXPECT_THROW(of_tables(labels, 2, {NoiseKind::kFlip2, 0.4}, 1), Error);
  EXPECT_EQ(parse_noise("flip2:0.2").kind, NoiseKind::kFlip2);
}

TEST(Noise, NoneAndAll) {
  const std::vector<int> labels{0, 1, 2, 0};
  EXPECT_EQ(of_tables(labels, 3, {NoiseKind::kUniform, 0.0}, 1), labels);
  EXPECT_EQ(of_tables(labels, 3, {NoiseKind::kAsymmetric, 1.0}, 1), (std::vector<int>{1, 2, 0, 1}));
  EXPECT_THROW(of_tables(labels, 3, {NoiseKind::kUniform, 1.5}, 1), Error);
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

TEST(Data, ThePapersSetsHaveTheirKnownSizes) {
  const auto folder = testing::data_folder();
  if (!folder) GTEST_SKIP() << "UASPL_DATA names no folder with the paper's data sets";
  EXPECT_EQ(dataset_names({*folder}).size(), 25U);
  const Dataset heart = open_dataset("heart", {*folder});
  EXPECT_EQ(heart.rows(), 297U);
  EXPECT_EQ(heart.dropped(), 6U);
  EXPECT_EQ(open_dataset("ilpd", {*folder}).rows(), 579U);
  for (const auto& [name, features] : {std::pair("nhanes_age", 8U), {"steel_plates_4", 28U}}) {
    EXPECT_EQ(open_dataset(name, {*folder}).table().features.cols(), features);
    const Dataset rest = open_dataset(std::string(name) + "_no_leak", {*folder});
    EXPECT_EQ(rest.table().features.cols(), features - 1);
    EXPECT_EQ(rest.name, std::string(name) + "_no_leak");
  }
  EXPECT_THROW(open_dataset("heart_no_leak", {*folder}), UnknownName);
}

}  // namespace
}  // namespace uaspl
