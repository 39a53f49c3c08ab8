// Every row of a step is computed once, by whom the plan says; what it says of the sum's order
// depends on the number of rows alone.
#include "uaspl/net/step_plan.hpp"

#include <gtest/gtest.h>

#include <vector>

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

// The first task's chunks, the shared rows and the others' chunks, one after the other.
TEST(StepPlan, ADealCoversAllRowsInOrder) {
  for (const std::size_t rows : {1U, 97U, 970U, 2391U, 5000U})
    for (const std::size_t tasks : {1U, 2U, 3U, 8U, 40U})
      for (const std::size_t parameters : {1000U, 100'000'000U}) {
        const Deal deal(rows, tasks, parameters);
        const Range front = deal.chunks_of(0);
        EXPECT_EQ(front.begin, 0U);
        EXPECT_EQ(deal.cut.rows_of(front.end).begin, deal.shared_rows().begin);
        std::size_t next = deal.shared_rows().end;
        for (std::size_t task = 1; task < tasks; ++task) {
          const Range own = deal.chunks_of(task);
          EXPECT_EQ(own.size(), front.size());
          EXPECT_EQ(deal.cut.rows_of(own.begin).begin, next);
          next = deal.cut.rows_of(own.end).begin;
        }
        EXPECT_EQ(next, rows);
      }
}

TEST(StepPlan, KeepsNoMoreGradientsThanMemoryAllows) {
  EXPECT_EQ(Deal(3000, 2, 20'000).own, 16U);
  EXPECT_EQ(Deal(3000, 2, 20'000).kept(), 16U);
  EXPECT_EQ(Deal(3000, 2, 10'000'000).kept(), 6U);
  EXPECT_EQ(Deal(3000, 2, 100'000'000).kept(), 0U);
  EXPECT_EQ(Deal(3000, 1, 100'000'000).own, 32U);  // one task keeps none
}

}  // namespace
}  // namespace uaspl
