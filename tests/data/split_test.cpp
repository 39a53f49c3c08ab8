// Splits of rows: those of scikit-learn, and those by class.
#include "uaspl/data/split.hpp"

#include <algorithm>

#include "tests/support.hpp"
#include "uaspl/base/error.hpp"

namespace uaspl {
namespace {

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

}  // namespace
}  // namespace uaspl
