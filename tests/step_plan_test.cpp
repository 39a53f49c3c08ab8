// Every row of a step is computed once, by whom the plan says; what it says of the sum's order
// depends on the number of rows alone.
#include "uaspl/net/step_plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "uaspl/base/rng.hpp"

namespace uaspl {
namespace {

TEST(StepPlan, SharesCoverEverythingOnce) {
  for (const std::size_t tasks : {1U, 2U, 3U, 7U})
    for (const std::size_t unit : {1U, 4U, 16U})
      for (const std::size_t count : {0U, 1U, 5U, 16U, 129U, 144U}) {
        std::size_t next = 0;
        for (std::size_t task = 0; task < tasks; ++task) {
          const Range range = Share{task, tasks}.of(count, unit);
          EXPECT_EQ(range.begin, next);
          EXPECT_TRUE(range.begin % unit == 0 || range.begin == count);
          EXPECT_LE(range.begin, range.end);
          next = range.end;
        }
        EXPECT_EQ(next, count);
      }
}

TEST(StepPlan, BlocksAreSmallAndNeverCrossAChunk) {
  for (const std::size_t rows : {1U, 40U, 96U, 97U, 970U, 3072U, 3073U, 100000U}) {
    const Chunks cut(rows);
    EXPECT_LE(cut.count(), 32U);
    for (std::size_t first = 0; first < rows; first = cut.block_end(first)) {
      const std::size_t end = cut.block_end(first);
      EXPECT_GT(end, first);
      EXPECT_LE(end - first, Chunks::kBlock);
      EXPECT_LE(end, cut.rows_of(first / cut.each).end);
    }
    EXPECT_EQ(cut.rows_of(cut.count() - 1).end, rows);
  }
}

// However fast the tasks are: the front, the shared rows and the back, one after the other.
TEST(StepPlan, ADealCoversAllRowsInOrder) {
  Stream random(1, "tasks");
  for (const std::size_t rows : {1U, 97U, 970U, 2391U, 5000U})
    for (const std::size_t tasks : {1U, 2U, 3U, 8U, 40U})
      for (const std::size_t parameters : {1000U, 100'000'000U}) {
        Deal deal(rows, tasks, parameters);
        std::size_t front = 0;
        std::size_t back = deal.cut.count();
        std::vector<bool> active(tasks, true);
        while (std::ranges::count(active, true) > 0) {
          const std::size_t task = random.below(tasks);
          const auto chunk = deal.take(task);
          if (!chunk) {
            active[task] = false;
          } else if (task == 0) {
            EXPECT_EQ(*chunk, front++);
          } else {
            EXPECT_EQ(*chunk, --back);
          }
        }
        EXPECT_EQ(deal.shared_rows().begin, deal.cut.rows_of(front).begin);
        EXPECT_EQ(deal.shared_rows().end, deal.cut.rows_of(back).begin);
        EXPECT_EQ(deal.kept(), deal.cut.count() - back);
        EXPECT_LE(front, back);
        EXPECT_TRUE(parameters > 1000 || back - front < tasks);
      }
}

std::size_t kept_by_the_second_of_two(std::size_t parameters) {
  Deal deal(3000, 2, parameters);
  while (deal.take(1)) {
  }
  return deal.kept();
}

// The first chunk is never kept: there is always a sum to add to.
TEST(StepPlan, KeepsNoMoreGradientsThanMemoryAllows) {
  EXPECT_EQ(kept_by_the_second_of_two(20'000), 31U);
  EXPECT_EQ(kept_by_the_second_of_two(10'000'000), 11U);
  EXPECT_EQ(kept_by_the_second_of_two(100'000'000), 0U);
  Deal alone(3000, 1, 100'000'000);
  while (alone.take(0)) {
  }
  EXPECT_EQ(alone.shared_rows().size(), 0U);
}

}  // namespace
}  // namespace uaspl
