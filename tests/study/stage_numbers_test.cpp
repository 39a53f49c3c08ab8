// Numbers about the rows of a stage, by hand.
#include "uaspl/study/stage_numbers.hpp"

#include <cmath>

#include "tests/support.hpp"

namespace uaspl {
namespace {

TEST(StageNumbers, MedianAndRobustMeanAreNotRuledByRowsWithoutLoss) {
  const std::vector<float> before{1.0F, 0.5F, 2.0F, 0.0F};
  const std::vector<float> after{0.5F, 0.5F, 1.0F, 0.01F};
  const auto rows = testing::first_rows(4);
  const LossVariation all = loss_variation(before, after, rows);
  EXPECT_NEAR(all.mean, (0.5 + 0.0 + 0.5 - 0.01 / 1e-8) / 4, 1e-1);
  EXPECT_NEAR(all.median, 0.25, 1e-7);
  EXPECT_NEAR(all.robust, (0.5 / 1.001 + 0.0 + 1.0 / 2.001 - 0.01 / 1e-3) / 4, 1e-6);
  const LossVariation three = loss_variation(before, after, std::span(rows).first(3));
  EXPECT_NEAR(three.median, 0.5, 1e-7);
  EXPECT_TRUE(std::isnan(loss_variation(before, after, {}).mean));
  EXPECT_TRUE(std::isnan(loss_variation(before, std::vector<float>(4, NAN), rows).median));
}

TEST(StageNumbers, GroupsOfRowsByHand) {
  const std::vector<float> losses{0.1F, 0.2F, 0.3F, 0.7F, 0.9F, 0.5F};
  const std::vector<float> unsure{0.1F, 0.2F, 0.8F, 0.9F, 0.3F, NAN};
  const std::vector<bool> correct{true, true, true, false, false, false};
  // The median of .1 .2 .3 .8 .9 and what is no number is .55.
  const RowGroups groups = group_rows(losses, unsure, correct);
  EXPECT_EQ(groups.right_sure.rows, 2U);
  EXPECT_NEAR(groups.right_sure.loss, 0.15, 1e-7);
  EXPECT_EQ(groups.right_unsure.rows, 1U);
  EXPECT_NEAR(groups.right_unsure.loss, 0.3, 1e-7);
  EXPECT_EQ(groups.wrong_unsure.rows, 2U);
  EXPECT_NEAR(groups.wrong_unsure.loss, 0.6, 1e-7);
  EXPECT_EQ(groups.wrong_sure.rows, 1U);
  EXPECT_NEAR(groups.wrong_sure.loss, 0.9, 1e-7);
  // Rows that are all equally unsure are all sure: nobody is above the median.
  const RowGroups equal = group_rows(losses, std::vector<float>(6, 1.0F), correct);
  EXPECT_EQ(equal.right_sure.rows, 3U);
  EXPECT_EQ(equal.right_unsure.rows, 0U);
  EXPECT_TRUE(std::isnan(equal.right_unsure.loss));
  // A network that diverged is sure of nothing.
  EXPECT_EQ(group_rows(losses, std::vector<float>(6, NAN), correct).wrong_unsure.rows, 3U);
}

}  // namespace
}  // namespace uaspl
