// Hands out the work of a grid, see work_queue.hpp.
#include "uaspl/study/work_queue.hpp"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "uaspl/base/error.hpp"
#include "uaspl/base/rng.hpp"
#include "uaspl/base/threads.hpp"

namespace uaspl {
namespace {

class WorkObserver final : public Observer {
 public:
  explicit WorkObserver(WorkSource& source) : source_(source) {}
  bool stop() override { return source_.stopped(); }
  void on_step(const Visit& visit, std::span<const float>) override {
    source_.stepped(visit.positions.size());
  }

 private:
  WorkSource& source_;
};

void run_task(WorkSource& source, const Grid& grid, const Task& task) {
  const Unit& unit = task.unit;
  WorkObserver observer(source);
  const PreparedRun prepared(grid.datasets[unit.dataset], grid.seed(unit.run),
                             grid.variants[unit.variant], &observer);
  for (const std::size_t m : task.methods) {
    std::optional<RunRecord> record = prepared.run(grid.methods[m], &observer);
    if (!record) return;
    source.finished(unit, m, std::move(*record));
  }
}

}  // namespace

WorkQueue::WorkQueue(const Grid& grid, const GridCallbacks& callbacks,
                     const std::atomic<bool>& cancel)
    : grid_(grid), callbacks_(callbacks), cancel_(cancel) {
  for (const Dataset& data : grid.datasets) datasets_.push_back(dataset_id(data));
  for (const DatasetId& dataset : datasets_)
    for (const ExperimentOptions& options : grid.variants)
      for (const ChosenMethod& method : grid.methods)
        keys_.push_back(run_key(dataset, method, options, 0));
  collect_units();
}

RunKey WorkQueue::key(const Unit& unit, std::size_t method) const {
  RunKey key =
      keys_[(unit.dataset * grid_.variants.size() + unit.variant) * grid_.methods.size() + method];
  key.seed = grid_.seed(unit.run);
  return key;
}

double WorkQueue::size(const Unit& unit) const {
  return static_cast<double>(grid_.datasets[unit.dataset].rows());
}

std::vector<std::size_t> WorkQueue::missing(const Unit& unit) const {
  std::vector<std::size_t> methods;
  for (std::size_t m = 0; m < grid_.methods.size(); ++m)
    if (!callbacks_.wanted || callbacks_.wanted(key(unit, m))) methods.push_back(m);
  return methods;
}

// Puts the largest data sets first, so that no long unit is left to the end.
void WorkQueue::collect_units() {
  std::size_t place = 0;
  for (std::size_t d = 0; d < grid_.datasets.size(); ++d)
    for (std::size_t v = 0; v < grid_.variants.size(); ++v)
      for (std::size_t r = 0; r < grid_.runs; ++r) {
        const Unit unit{d, v, r};
        if (place++ % grid_.shard.count != grid_.shard.index) continue;
        const std::size_t runs = missing(unit).size();
        if (runs == 0) continue;
        waiting_.push_back(unit);
        total_ += runs;
        total_work_ += size(unit) * static_cast<double>(runs);
      }
  std::ranges::stable_sort(waiting_, std::ranges::greater{},
                           [&](const Unit& unit) { return size(unit); });
  units_ = waiting_.size();
}

bool WorkQueue::lock_unit(const Unit& unit) {
  if (!callbacks_.locks) return true;
  // A number for the unit that other processes with the same data and options find too.
  const RunKey shared = pretraining_key(datasets_[unit.dataset], grid_.variants[unit.variant], 0);
  const std::uint64_t number =
      Stream(grid_.seed(unit.run), shared.data_sha256 + shared.configuration).word();
  auto held = callbacks_.locks->try_lock(number);
  if (!held) return false;
  held_.emplace(unit, std::move(*held));
  return true;
}

std::optional<Task> WorkQueue::try_take() {
  const std::lock_guard lock(mutex_);
  // Units that other processes hold come last: most are finished once they are released.
  for (std::size_t tries = waiting_.size() + busy_.size(); tries > 0; --tries) {
    if (stopped()) return std::nullopt;
    if (waiting_.empty()) {
      waiting_.assign(busy_.begin(), busy_.end());
      busy_.clear();
    }
    const Unit unit = waiting_.front();
    waiting_.pop_front();
    if (!lock_unit(unit)) {
      busy_.push_back(unit);
      continue;
    }
    if (auto methods = missing(unit); !methods.empty()) return Task{unit, std::move(methods)};
    held_.erase(unit);
  }
  return std::nullopt;
}

bool WorkQueue::empty() const {
  const std::lock_guard lock(mutex_);
  return stopped() || (waiting_.empty() && busy_.empty());
}

std::optional<Task> WorkQueue::take() {
  for (;;) {
    if (auto task = try_take()) return task;
    if (empty()) return std::nullopt;
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
}

bool WorkQueue::fits(const Unit& unit, std::size_t method, const RunRecord& run) const {
  return method < grid_.methods.size() && run.key == key(unit, method);
}

void WorkQueue::finished(const Unit& unit, std::size_t method, RunRecord run) {
  const std::lock_guard lock(mutex_);
  const std::size_t index =
      ((unit.dataset * grid_.variants.size() + unit.variant) * grid_.methods.size() + method) *
          grid_.runs +
      unit.run;
  done_work_ += size(unit);
  callbacks_.on_finished({run, index, ++finished_, total_, done_work_ / total_work_});
  // The checkpoint is not needed now that the run is stored.
  if (const auto kept = run_checkpoint(run.key, grid_.variants[unit.variant])) kept->remove();
}

void WorkQueue::give_back(const Unit& unit) {
  const std::lock_guard lock(mutex_);
  const ExperimentOptions& options = grid_.variants[unit.variant];
  if (!options.checkpoints.empty() && missing(unit).empty())
    run_checkpoint(pretraining_key(datasets_[unit.dataset], options, grid_.seed(unit.run)), options)
        ->remove();
  held_.erase(unit);
}

bool WorkQueue::stopped() const {
  return cancel_.load(std::memory_order_relaxed) || failed_.load(std::memory_order_relaxed);
}

void work_off(WorkSource& source, const Grid& grid, std::size_t jobs) {
  Workers workers(jobs);
  workers.run(jobs, [&](std::size_t, std::size_t) {
    std::optional<Task> task;
    try {
      while ((task = source.take())) {
        run_task(source, grid, *task);
        source.give_back(task->unit);
      }
    } catch (const Error& error) {
      source.stop();
      if (!task) throw;
      throw Error(grid.datasets[task->unit.dataset].name + ": " + error.what());
    } catch (...) {
      source.stop();
      throw;
    }
  });
}

}  // namespace uaspl
