// Random streams, the pool of workers, modes of computing.
#include <atomic>
#include <cmath>
#include <set>
#include <stdexcept>
#include <thread>

#include "tests/support.hpp"
#include "uaspl/base/denormals.hpp"
#include "uaspl/base/module.hpp"
#include "uaspl/base/threads.hpp"

namespace uaspl {
namespace {

TEST(Stream, IsAFunctionOfSeedNameAndIndices) {
  const auto word = [](std::uint64_t seed, const char* name, std::uint64_t a, std::uint64_t b) {
    return Stream(seed, name, a, b).word();
  };
  EXPECT_EQ(word(1, "x", 2, 3), word(1, "x", 2, 3));
  std::set<std::uint64_t> words;
  for (std::uint64_t seed = 0; seed < 10; ++seed)
    for (const char* name : {"shuffle", "masks", "", "a"})
      for (std::uint64_t a = 0; a < 10; ++a)
        for (std::uint64_t b = 0; b < 10; ++b) words.insert(word(seed, name, a, b));
  EXPECT_EQ(words.size(), 4000U);
}

TEST(Stream, IsUniform) {
  Stream stream(1, "uniform");
  double sum = 0.0;
  std::vector<int> counts(7);
  for (int i = 0; i < 70000; ++i) {
    sum += stream.uniform();
    ++counts[stream.below(7)];
  }
  EXPECT_NEAR(sum / 70000, 0.5, 0.005);
  for (const int count : counts) EXPECT_NEAR(count, 10000, 400);
}

TEST(Stream, ShufflesEveryOrderEquallyOften) {
  Stream stream(1, "orders");
  std::map<std::vector<int>, int> counts;
  for (int i = 0; i < 6000; ++i) {
    std::vector<int> items{0, 1, 2};
    stream.shuffle(items);
    ++counts[items];
  }
  EXPECT_EQ(counts.size(), 6U);
  for (const auto& [items, count] : counts) EXPECT_NEAR(count, 1000, 150);
}

TEST(Workers, RunEveryTaskOnce) {
  Workers workers(3);
  for (int round = 0; round < 200; ++round) {
    std::vector<std::atomic<int>> done(17);
    workers.run(done.size(), [&](std::size_t task, std::size_t worker) {
      EXPECT_LT(worker, 3U);
      ++done[task];
    });
    for (const auto& times : done) EXPECT_EQ(times, 1);
  }
}

TEST(Workers, RunAtHomeRunsEveryTaskOnceToo) {
  Workers workers(3);
  for (int round = 0; round < 200; ++round) {
    for (const std::size_t count : {1U, 2U, 3U}) {
      std::vector<std::atomic<int>> done(count);
      workers.run_at_home(count, [&](std::size_t task, std::size_t worker) {
        EXPECT_LT(worker, count);
        ++done[task];
      });
      for (const auto& times : done) EXPECT_EQ(times, 1);
    }
    if (round % 10 == 0) workers.run(5, [](std::size_t, std::size_t) {});
  }
  const auto fail = [](std::size_t, std::size_t) { throw std::runtime_error("task"); };
  EXPECT_THROW(workers.run_at_home(3, fail), std::runtime_error);
}

TEST(Workers, PassOnAnException) {
  Workers workers(2);
  const auto fail = [](std::size_t task, std::size_t) {
    if (task == 3) throw std::runtime_error("task 3");
  };
  EXPECT_THROW(workers.run(5, fail), std::runtime_error);
  int done = 0;  // and serve again
  Workers(1).run(4, [&](std::size_t, std::size_t) { ++done; });
  EXPECT_EQ(done, 4);
  workers.run(2, [](std::size_t, std::size_t) {});
}

TEST(Workers, AreClaimedByOneAtATime) {
  Workers workers(2);
  EXPECT_FALSE(Workers::Claim());
  {
    const Workers::Claim first = workers.try_claim();
    EXPECT_TRUE(first);
    EXPECT_FALSE(workers.try_claim());
    EXPECT_FALSE(workers.try_claim());  // one that failed has taken nothing away
  }
  EXPECT_TRUE(workers.try_claim());
  EXPECT_TRUE(workers.try_claim());
}

// Who has the claim may use the pool; the others go without.
TEST(WorkersThreads, ManyShareAPoolByClaims) {
  Workers workers(3);
  std::atomic<int> inside{0};
  std::atomic<int> at_once{0};
  std::atomic<int> had{0};
  std::atomic<long> done{0};
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 6; ++t)
      threads.emplace_back([&] {
        for (int round = 0; round < 400; ++round) {
          const Workers::Claim claim = workers.try_claim();
          if (!claim) {
            std::this_thread::yield();
            continue;
          }
          at_once += inside++ != 0;
          workers.run(4, [&](std::size_t, std::size_t) { ++done; });
          ++had;
          --inside;
        }
      });
  }
  EXPECT_EQ(at_once, 0);
  EXPECT_GT(had, 0);
  EXPECT_EQ(done, 4L * had);
  EXPECT_TRUE(workers.try_claim());
}

#if defined(__x86_64__) || defined(__aarch64__)
TEST(WithoutDenormals, TinyNumbersAreZeroMeanwhile) {
  const volatile float small = 1e-20F;
  const volatile float denormal = 1e-40F;
  EXPECT_NE(small * small, 0.0F);
  {
    const WithoutDenormals mode;
    EXPECT_EQ(small * small, 0.0F);
    EXPECT_EQ(denormal * 2.0F, 0.0F);
    EXPECT_NE(small * 1e-10F, 0.0F);
  }
  EXPECT_NE(small * small, 0.0F);
}
#endif

TEST(Module, PartsOfALibraryPathThatMeanTheCurrentFolderAreSeen) {
  for (const char* path : {"", "/opt/lib", "/opt/lib:/usr/lib;/lib", "$ORIGIN/../lib:${ORIGIN}"})
    EXPECT_FALSE(means_current_folder(path)) << path;
  for (const char* path : {":", ":/opt/lib", "/opt/lib:", "/opt/lib::/lib", "/opt/lib;", ".", "lib",
                           "/opt/lib:lib", "$LIB"})
    EXPECT_TRUE(means_current_folder(path)) << path;
}

}  // namespace
}  // namespace uaspl
