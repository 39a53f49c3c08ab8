// Every row of a step is computed once, whoever does it; the cut depends on the number of rows
// alone.
#include "uaspl/net/mlp/step_cut.hpp"

#include <gtest/gtest.h>

#include <bit>

namespace uaspl {
namespace {

TEST(StepPlan, SharesCoverEverythingOnce) {
  for (const std::size_t tasks : {1U, 2U, 3U, 7U})
    for (const std::size_t count : {0U, 1U, 5U, 16U, 129U, 144U}) {
      std::size_t next = 0;
      for (std::size_t task = 0; task < tasks; ++task) {
        const Range range = Share{task, tasks}.of(count);
        EXPECT_EQ(range.begin, next);
        EXPECT_LE(range.begin, range.end);
        next = range.end;
      }
      EXPECT_EQ(next, count);
    }
}

TEST(StepPlan, GroupsAndTheirBlocksCoverAllRowsOnce) {
  for (const std::size_t rows : {1U, 40U, 191U, 192U, 193U, 970U, 2391U, 3073U, 100000U}) {
    const Cut cut(rows);
    EXPECT_TRUE(std::has_single_bit(cut.groups()));
    EXPECT_LE(cut.groups(), 32U);
    std::size_t next = 0;
    for (std::size_t group = 0; group < cut.groups(); ++group) {
      const Range all = cut.rows_of(group);
      EXPECT_EQ(all.begin, next);
      while (next < all.end) {
        const Range block = Cut::block(next, all.end);
        EXPECT_EQ(block.begin, next);
        EXPECT_GT(block.size(), 0U);
        EXPECT_LE(block.size(), Cut::kBlock);
        EXPECT_TRUE(block.size() % 6 == 0 || block.end == all.end);
        next = block.end;
      }
      EXPECT_EQ(next, all.end);
    }
    EXPECT_EQ(next, rows);
  }
}

TEST(StepPlan, BlocksOfAGroupAreAboutAsLarge) {
  for (const std::size_t rows : {193U, 400U, 485U, 1000U, 5000U}) {
    const std::size_t first = Cut::block(0, rows).size();
    for (std::size_t at = 0; at < rows; at = Cut::block(at, rows).end)
      EXPECT_LE(first - Cut::block(at, rows).size(), 36U) << rows << " " << at;
  }
}

// A task has whole branches of the tree: as many groups as any other, and a power of two.
TEST(StepPlan, TasksAreAPowerOfTwoAndNoMoreThanThereAreGroups) {
  EXPECT_EQ(Cut(40).tasks(8), 1U);
  EXPECT_EQ(Cut(191).tasks(2), 1U);
  EXPECT_EQ(Cut(192).tasks(8), 2U);
  EXPECT_EQ(Cut(2391).tasks(3), 2U);
  EXPECT_EQ(Cut(2391).tasks(4), 4U);
  EXPECT_EQ(Cut(1'000'000).tasks(100), 32U);
  for (const std::size_t rows : {1U, 500U, 2391U, 100000U})
    for (const std::size_t workers : {0U, 1U, 2U, 3U, 5U, 64U}) {
      const std::size_t tasks = Cut(rows).tasks(workers);
      EXPECT_GE(tasks, 1U);
      EXPECT_EQ(Cut(rows).groups() % tasks, 0U);
    }
}

}  // namespace
}  // namespace uaspl
