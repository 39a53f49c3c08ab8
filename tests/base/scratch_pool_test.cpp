// Scratch that threads borrow: never two at a time, found again, and all of it gone at the end.
#include "uaspl/base/scratch_pool.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

namespace uaspl {
namespace {

// Says how many of it there are, and whether somebody has it.
struct Scratch {
  explicit Scratch(std::atomic<int>& count) : alive(count) { ++alive; }
  ~Scratch() { --alive; }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  std::atomic<int>& alive;
  std::atomic<bool> taken{false};
  long uses = 0;  // written without a lock by whoever has it
};

struct ScratchPoolTest : ::testing::Test {
  std::atomic<int> alive{0};
  std::atomic<int> made{0};
  std::function<std::unique_ptr<Scratch>()> make = [this] {
    ++made;
    return std::make_unique<Scratch>(alive);
  };
};

using ScratchPoolThreads = ScratchPoolTest;

TEST_F(ScratchPoolThreads, AThreadFindsItsScratchAgain) {
  ScratchPool<Scratch> pool;
  const Scratch* first = &*pool.borrow(make);
  for (int again = 0; again < 100; ++again) {
    const auto loan = pool.borrow(make);
    EXPECT_EQ(&*loan, first);
    EXPECT_EQ(loan->uses, 0);
  }
  EXPECT_EQ(made, 1);
}

TEST_F(ScratchPoolThreads, LoansAtTheSameTimeAreDifferent) {
  ScratchPool<Scratch> pool;
  for (int round = 0; round < 2; ++round) {
    const auto one = pool.borrow(make);
    const auto two = pool.borrow(make);
    const auto three = pool.borrow(make);
    EXPECT_EQ((std::set<const Scratch*>{&*one, &*two, &*three}.size()), 3U);
  }
  EXPECT_EQ(made, 3);  // the second round had those of the first
}

TEST_F(ScratchPoolThreads, ManyAtOnceHaveEachTheirOwnAndNothingIsLost) {
  constexpr int kThreads = 24;  // more than there is room to keep
  constexpr int kRounds = 3000;
  std::atomic<int> shared{0};
  std::atomic<long> uses{0};
  {
    ScratchPool<Scratch> pool;
    {
      std::vector<std::jthread> threads;
      for (int t = 0; t < kThreads; ++t)
        threads.emplace_back([&, t] {
          for (int round = 0; round < kRounds; ++round) {
            const auto loan = pool.borrow(make);
            shared += loan->taken.exchange(true);
            ++loan->uses;
            if ((round + t) % 64 == 0) std::this_thread::yield();
            ++uses;
            loan->taken = false;
          }
        });
    }
    EXPECT_EQ(shared, 0);
    EXPECT_EQ(uses, kThreads * kRounds);
    EXPECT_GE(alive, 1);
    EXPECT_LE(alive, kThreads);
    EXPECT_LT(made, kThreads * kRounds / 10);  // it was mostly found again
  }
  EXPECT_EQ(alive, 0);
}

TEST_F(ScratchPoolThreads, KeepsNoMoreThanItHasRoomForAndFreesTheRest) {
  {
    ScratchPool<Scratch> pool;
    {
      std::vector<std::unique_ptr<ScratchPool<Scratch>::Loan>> loans;
      std::set<const Scratch*> different;
      for (int i = 0; i < 100; ++i) {
        loans.emplace_back(new auto(pool.borrow(make)));
        different.insert(&**loans.back());
      }
      EXPECT_EQ(different.size(), 100U);
      EXPECT_EQ(alive, 100);
    }
    EXPECT_GE(alive, 1);
    EXPECT_LE(alive, 16);
  }
  EXPECT_EQ(alive, 0);
}

TEST_F(ScratchPoolThreads, ACopyBeginsWithoutScratch) {
  ScratchPool<Scratch> pool;
  const Scratch* first = &*pool.borrow(make);
  ScratchPool<Scratch> copy(pool);
  const auto other = copy.borrow(make);
  EXPECT_NE(&*other, first);
  EXPECT_EQ(&*pool.borrow(make), first);
}

TEST_F(ScratchPoolThreads, AnErrorInMakingItLeavesThePoolAsItWas) {
  ScratchPool<Scratch> pool;
  const auto fail = []() -> std::unique_ptr<Scratch> { throw std::runtime_error("no memory"); };
  EXPECT_THROW(pool.borrow(fail), std::runtime_error);
  const Scratch* first = &*pool.borrow(make);
  EXPECT_EQ(&*pool.borrow(fail), first);  // nothing has to be made
}

}  // namespace
}  // namespace uaspl
