// Handing out the work of a grid: what is missing, in which order, and what comes back.
#include "uaspl/study/work_queue.hpp"

#include <set>

#include "tests/support.hpp"
#include "uaspl/io/file_lock.hpp"

namespace uaspl {
namespace {

struct WorkQueueTest : ::testing::Test {
  std::vector<Dataset> datasets{testing::cloud_set("small", 30), testing::cloud_set("large", 70),
                                testing::cloud_set("middle", 50)};
  std::vector<ChosenMethod> chosen = choose_methods(std::vector<std::string>{"direct", "spl"});
  Grid grid = [this] {
    ExperimentOptions noisy;
    noisy.rows.noise = {NoiseKind::kUniform, 0.4};
    return Grid{.datasets = datasets,
                .methods = chosen,
                .first_seed = 7,
                .runs = 2,
                .variants = {ExperimentOptions{}, noisy}};
  }();
  struct Told {
    std::size_t index;
    std::size_t finished;
    std::size_t total;
    double share;
  };
  std::vector<Told> told;
  GridCallbacks callbacks{.on_finished = [this](const Finished& one) {
    told.push_back({one.index, one.finished, one.total, one.share_of_work});
  }};
  std::atomic<bool> cancel{false};

  RunRecord run_of(const Unit& unit, std::size_t method) const {
    RunRecord run;
    run.key = run_key(dataset_id(datasets[unit.dataset]), chosen[method],
                      grid.variants[unit.variant], grid.seed(unit.run));
    return run;
  }
  // All that there is, one after the other.
  std::vector<Task> drain(WorkQueue& queue) const {
    std::vector<Task> tasks;
    while (auto task = queue.try_take()) tasks.push_back(std::move(*task));
    return tasks;
  }
};

TEST_F(WorkQueueTest, HandsOutEveryUnitOnceTheLargestFirst) {
  WorkQueue queue(grid, callbacks, cancel);
  EXPECT_EQ(queue.units(), 12U);
  EXPECT_EQ(queue.total(), 24U);
  EXPECT_FALSE(queue.empty());
  const auto tasks = drain(queue);
  ASSERT_EQ(tasks.size(), 12U);
  std::set<Unit> units;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    units.insert(tasks[i].unit);
    EXPECT_EQ(tasks[i].methods, (std::vector<std::size_t>{0, 1}));
    const std::size_t place[] = {1, 2, 0};  // large, middle, small
    EXPECT_EQ(tasks[i].unit.dataset, place[i / 4]);
    EXPECT_EQ(tasks[i].unit.variant, i % 4 / 2);  // as they are in the grid otherwise
    EXPECT_EQ(tasks[i].unit.run, i % 2);
  }
  EXPECT_EQ(units.size(), 12U);
  EXPECT_TRUE(queue.empty());
  EXPECT_FALSE(queue.try_take());
  EXPECT_FALSE(queue.take());  // does not wait for what will not come
}

TEST_F(WorkQueueTest, TakesInWhatIsFinishedWithItsPlaceAndItsShare) {
  WorkQueue queue(grid, callbacks, cancel);
  const auto tasks = drain(queue);
  double share = 0.0;
  for (const Task& task : tasks) {
    for (const std::size_t method : task.methods) {
      const RunRecord run = run_of(task.unit, method);
      EXPECT_TRUE(queue.fits(task.unit, method, run));
      queue.finished(task.unit, method, run);
      const Unit& unit = task.unit;
      EXPECT_EQ(told.back().index, ((unit.dataset * 2 + unit.variant) * 2 + method) * 2 + unit.run);
      share += static_cast<double>(datasets[unit.dataset].rows()) / (8.0 * (30 + 70 + 50));
      EXPECT_NEAR(told.back().share, share, 1e-12);
      EXPECT_EQ(told.back().finished, told.size());
      EXPECT_EQ(told.back().total, 24U);
    }
    queue.give_back(task.unit);
  }
  EXPECT_NEAR(told.back().share, 1.0, 1e-12);
  std::set<std::size_t> places;
  for (const Told& one : told) places.insert(one.index);
  EXPECT_EQ(places.size(), grid.size());
}

TEST_F(WorkQueueTest, OnlyTheRunOfAUnitAndAMethodFits) {
  WorkQueue queue(grid, callbacks, cancel);
  const Unit unit{1, 1, 1};
  EXPECT_TRUE(queue.fits(unit, 1, run_of(unit, 1)));
  EXPECT_FALSE(queue.fits(unit, 0, run_of(unit, 1)));
  EXPECT_FALSE(queue.fits(unit, 2, run_of(unit, 1)));  // there is no such method
  for (const Unit& other : {Unit{0, 1, 1}, Unit{1, 0, 1}, Unit{1, 1, 0}})
    EXPECT_FALSE(queue.fits(other, 1, run_of(unit, 1)));
  RunRecord changed = run_of(unit, 1);
  changed.key.data_sha256[0] ^= 1;
  EXPECT_FALSE(queue.fits(unit, 1, changed));
}

TEST_F(WorkQueueTest, LeavesOutWhatIsNotWanted) {
  std::set<std::string> done;  // units and methods whose runs are there
  callbacks.wanted = [&](const RunKey& key) {
    return !done.contains(key.dataset + " " + key.method);
  };
  done = {"large direct", "small direct", "small spl"};
  WorkQueue queue(grid, callbacks, cancel);
  EXPECT_EQ(queue.units(), 8U);
  EXPECT_EQ(queue.total(), 4U * 1 + 4U * 2);
  auto task = queue.try_take();
  ASSERT_TRUE(task);
  EXPECT_EQ(task->unit.dataset, 1U);
  EXPECT_EQ(task->methods, std::vector<std::size_t>{1});
  // Meanwhile somebody else has done more: it is asked again before it is handed out.
  done.insert("large spl");
  done.insert("middle direct");
  const auto rest = drain(queue);
  ASSERT_EQ(rest.size(), 4U);
  for (const Task& one : rest) {
    EXPECT_EQ(one.unit.dataset, 2U);
    EXPECT_EQ(one.methods, std::vector<std::size_t>{1});
  }
  done.insert("middle spl");
  EXPECT_EQ(WorkQueue(grid, callbacks, cancel).units(), 0U);
  EXPECT_TRUE(WorkQueue(grid, callbacks, cancel).empty());
}

TEST_F(WorkQueueTest, ShardsShareTheUnitsAndNothingElse) {
  for (const std::size_t count : {1U, 2U, 5U, 20U}) {
    std::set<Unit> all;
    std::size_t units = 0;
    for (std::size_t index = 0; index < count; ++index) {
      Grid part = grid;
      part.shard = {index, count};
      WorkQueue queue(part, callbacks, cancel);
      EXPECT_LE(queue.units(), (12 + count - 1) / count);
      units += queue.units();
      for (const Task& task : drain(queue)) all.insert(task.unit);
    }
    EXPECT_EQ(units, 12U);
    EXPECT_EQ(all.size(), 12U);
  }
}

TEST_F(WorkQueueTest, HandsOutNothingOnceItIsStopped) {
  WorkQueue stopped(grid, callbacks, cancel);
  EXPECT_FALSE(stopped.stopped());
  stopped.stop();
  EXPECT_TRUE(stopped.stopped());
  EXPECT_TRUE(stopped.empty());
  EXPECT_FALSE(stopped.take());
  WorkQueue cancelled(grid, callbacks, cancel);
  EXPECT_TRUE(cancelled.try_take());
  cancel = true;
  EXPECT_TRUE(cancelled.stopped());
  EXPECT_FALSE(cancelled.take());
}

// Two queues with locks of their own, as two processes have them.
TEST_F(WorkQueueTest, AUnitIsInOneHandAtATime) {
  const testing::TemporaryFolder folder;
  FileLocks here(folder.path() / "locks");
  FileLocks there(folder.path() / "locks");
  std::set<RunKey, decltype([](const RunKey& a, const RunKey& b) {
             return std::tie(a.dataset, a.method, a.configuration, a.seed) <
                    std::tie(b.dataset, b.method, b.configuration, b.seed);
           })>
      done;
  callbacks.wanted = [&](const RunKey& key) { return !done.contains(key); };
  GridCallbacks other_callbacks = callbacks;
  callbacks.locks = &here;
  other_callbacks.locks = &there;
  WorkQueue one(grid, callbacks, cancel);
  WorkQueue other(grid, other_callbacks, cancel);
  const auto first = one.try_take();
  ASSERT_TRUE(first);
  const auto rest = drain(other);
  EXPECT_EQ(rest.size(), 11U);
  for (const Task& task : rest) EXPECT_NE(task.unit, first->unit);
  EXPECT_FALSE(other.empty());  // one is still with somebody else
  EXPECT_FALSE(one.try_take());
  // What is given back undone is there for others, what was done is not.
  one.give_back(first->unit);
  const auto again = other.try_take();
  ASSERT_TRUE(again);
  EXPECT_EQ(again->unit, first->unit);
  for (const Task& task : rest)
    for (const std::size_t method : task.methods) done.insert(run_of(task.unit, method).key);
  for (const Task& task : rest) other.give_back(task.unit);
  EXPECT_FALSE(one.try_take());
  EXPECT_TRUE(one.empty());  // all that it waited for is done
}

// What is kept of unfinished runs goes when they are safe.
TEST_F(WorkQueueTest, CheckpointsAreRemovedWithWhatTheyAreOf) {
  const testing::TemporaryFolder folder;
  ExperimentOptions options;
  options.checkpoints = folder.path();
  grid.variants = {options};
  std::set<std::string> done;
  callbacks.wanted = [&](const RunKey& key) { return !done.contains(key.method); };
  WorkQueue queue(grid, callbacks, cancel);
  const Task task = queue.try_take().value();
  const DatasetId id = dataset_id(datasets[task.unit.dataset]);
  const auto before = run_checkpoint(pretraining_key(id, options, 7), options);
  const auto direct = run_checkpoint(run_of(task.unit, 0).key, options);
  const auto spl = run_checkpoint(run_of(task.unit, 1).key, options);
  const auto files = [&] {
    return std::distance(std::filesystem::directory_iterator(folder.path()), {});
  };
  for (const auto& file : {before, direct, spl}) file->write({.stages = 1});
  EXPECT_EQ(files(), 3);
  queue.finished(task.unit, 0, run_of(task.unit, 0));
  done.insert("direct");
  EXPECT_FALSE(direct->read());
  queue.give_back(task.unit);  // the other method still needs the pre-training
  EXPECT_TRUE(before->read());
  queue.finished(task.unit, 1, run_of(task.unit, 1));
  done.insert("spl");
  queue.give_back(task.unit);
  EXPECT_EQ(files(), 0);
}

TEST_F(WorkQueueTest, PassesOnHowManyRowsAStepHad) {
  std::size_t rows = 0;
  WorkQueue quiet(grid, callbacks, cancel);
  quiet.stepped(5);  // nobody wants to know
  callbacks.on_step = [&](std::size_t count) { rows += count; };
  WorkQueue queue(grid, callbacks, cancel);
  queue.stepped(5);
  queue.stepped(7);
  EXPECT_EQ(rows, 12U);
}

}  // namespace
}  // namespace uaspl
