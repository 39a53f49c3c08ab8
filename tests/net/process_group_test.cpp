// What processes that train together tell each other; here they are threads.
#include "uaspl/net/process_group.hpp"

#include <gtest/gtest.h>

#include <barrier>
#include <functional>
#include <thread>

#include "uaspl/base/error.hpp"

namespace uaspl {
namespace {

// What the threads of a group have in common.
struct Table {
  explicit Table(std::size_t size) : place(static_cast<std::ptrdiff_t>(size)), given(size) {}
  std::barrier<> place;
  std::vector<std::span<const std::byte>> given;
};

class ThreadGroup final : public ProcessGroup {
 public:
  ThreadGroup(Table& table, std::size_t rank) : table_(table), rank_(rank) {}
  std::size_t rank() const override { return rank_; }
  std::size_t size() const override { return table_.given.size(); }
  void sum(std::span<float>) override { FAIL() << "not here"; }
  void gather(std::span<const std::byte> mine, std::span<std::byte> all) override {
    table_.given[rank_] = mine;
    table_.place.arrive_and_wait();
    ASSERT_EQ(all.size(), mine.size() * size());
    for (std::size_t rank = 0; rank < size(); ++rank)
      std::ranges::copy(table_.given[rank],
                        all.begin() + static_cast<std::ptrdiff_t>(rank * mine.size()));
    table_.place.arrive_and_wait();
  }

 private:
  Table& table_;
  std::size_t rank_;
};

void on_ranks(std::size_t size, const std::function<void(ProcessGroup&)>& work) {
  Table table(size);
  std::vector<std::jthread> threads;
  for (std::size_t rank = 0; rank < size; ++rank)
    threads.emplace_back([&, rank] {
      ThreadGroup group(table, rank);
      work(group);
    });
}

TEST(GroupThreads, PartsAreEvenAndMakeTheWhole) {
  for (std::size_t size = 1; size < 6; ++size)
    for (std::size_t rows = 0; rows < 20; ++rows) {
      std::size_t next = 0;
      for (std::size_t rank = 0; rank < size; ++rank) {
        const Part part = part_of(rows, rank, size);
        EXPECT_EQ(part.first, next);
        EXPECT_GE(part.count, rows / size);
        EXPECT_LE(part.count, (rows + size - 1) / size);
        next += part.count;
      }
      EXPECT_EQ(next, rows);
    }
}

TEST(GroupThreads, RowsOfEachAreThenThoseOfAll) {
  for (const std::size_t rows : {0U, 1U, 2U, 3U, 7U})
    on_ranks(3, [&](ProcessGroup& group) {
      Matrix matrix(rows, 2);
      const Part part = part_of(rows, group.rank(), 3);
      for (std::size_t i = part.first; i < part.first + part.count; ++i)
        for (std::size_t k = 0; k < 2; ++k) matrix(i, k) = static_cast<float>(10 * i + k);
      share_rows(group, matrix, 5);
      for (std::size_t i = 0; i < rows; ++i)
        for (std::size_t k = 0; k < 2; ++k) EXPECT_EQ(matrix(i, k), 10 * i + k);
    });
}

TEST(GroupThreads, ARankThatDoesSomethingElseIsAnErrorOnAll) {
  on_ranks(3, [](ProcessGroup& group) {
    Matrix matrix(4, 1);
    EXPECT_THROW(share_rows(group, matrix, group.rank() == 1 ? 6 : 5), Error);
  });
  on_ranks(2, [](ProcessGroup& group) {
    Matrix matrix(group.rank() == 1 ? 4 : 5, 1);
    EXPECT_THROW(share_rows(group, matrix, 5), Error);
  });
  on_ranks(2, [](ProcessGroup& group) {
    Matrix matrix(4, 1);
    if (group.rank() == 0) {
      EXPECT_THROW(share_rows(group, matrix, 5), Error);
    } else {
      EXPECT_THROW(any_of(group, true), Error);
    }
  });
}

TEST(GroupThreads, WhatOneSaysAllHear) {
  for (const std::size_t one : {0U, 1U, 2U, 3U})
    on_ranks(3,
             [&](ProcessGroup& group) { EXPECT_EQ(any_of(group, group.rank() == one), one < 3); });
  on_ranks(3, [](ProcessGroup& group) {
    const std::vector<std::string> texts = {"", "one", std::string("t\0wo", 4)};
    EXPECT_EQ(gather_texts(group, texts[group.rank()]), texts);
    EXPECT_EQ(gather_texts(group, ""), std::vector<std::string>(3));
  });
}

}  // namespace
}  // namespace uaspl
