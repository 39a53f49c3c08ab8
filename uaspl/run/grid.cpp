// Working off a grid, see grid.hpp.
#include "uaspl/run/grid.hpp"

#include <algorithm>
#include <chrono>
#include <mutex>
#include <string>
#include <thread>

#include "uaspl/base/error.hpp"
#include "uaspl/base/rng.hpp"
#include "uaspl/base/threads.hpp"

namespace uaspl {
namespace {

class CancelObserver final : public Observer {
 public:
  CancelObserver(const std::atomic<bool>& cancel, const std::atomic<bool>& failed)
      : cancel_(cancel), failed_(failed) {}
  bool stop() override {
    return cancel_.load(std::memory_order_relaxed) || failed_.load(std::memory_order_relaxed);
  }

 private:
  const std::atomic<bool>& cancel_;
  const std::atomic<bool>& failed_;
};

// Data set, variant and seed: the methods of a unit share a split and a pre-trained network.
struct Unit {
  std::size_t dataset;
  std::size_t variant;
  std::size_t run;
};

class GridRun {
 public:
  GridRun(const Grid& grid, const GridWork& work, const std::atomic<bool>& cancel)
      : grid_(grid), work_(work), cancel_(cancel) {
    for (const ExperimentOptions& options : grid.variants)
      for (const ChosenMethod& method : grid.methods)
        configurations_.push_back(configuration(method, options));
    const ChosenMethod no_options{&find_method("direct"), Settings({})};
    for (const ExperimentOptions& options : grid.variants)
      protocols_.push_back(configuration(no_options, options));
    for (const Dataset& data : grid.datasets) contents_.push_back(content_sha256(data));
    collect_units();
  }

  std::size_t total() const { return total_; }

  void run() {
    const auto work = [&](std::size_t task, std::size_t) { attempt(units_[task], true); };
    Workers workers(
        std::clamp<std::size_t>(work_.jobs, 1, std::max<std::size_t>(1, units_.size())));
    workers.run(units_.size(), work);
    // What other processes had in hand: most of it is finished once they let go of it.
    for (std::size_t i = 0; i < busy_.size(); ++i) attempt(busy_[i], false);
  }

 private:
  RunKey key(const Unit& unit, std::size_t method) const {
    return {.dataset = grid_.datasets[unit.dataset].name,
            .data_sha256 = contents_[unit.dataset],
            .method = std::string(grid_.methods[method].info->name),
            .configuration = configurations_[unit.variant * grid_.methods.size() + method],
            .seed = seed(unit)};
  }

  std::uint32_t seed(const Unit& unit) const {
    return grid_.first_seed + static_cast<std::uint32_t>(unit.run);
  }

  double size(const Unit& unit) const {
    return static_cast<double>(grid_.datasets[unit.dataset].rows());
  }

  std::vector<std::size_t> missing(const Unit& unit) {
    const std::lock_guard lock(mutex_);
    std::vector<std::size_t> methods;
    for (std::size_t m = 0; m < grid_.methods.size(); ++m)
      if (!work_.wanted || work_.wanted(key(unit, m))) methods.push_back(m);
    return methods;
  }

  // The largest data sets first, so that no long unit is left to the end.
  void collect_units() {
    std::size_t place = 0;
    for (std::size_t d = 0; d < grid_.datasets.size(); ++d)
      for (std::size_t v = 0; v < grid_.variants.size(); ++v)
        for (std::size_t r = 0; r < grid_.runs; ++r) {
          const Unit unit{d, v, r};
          if (place++ % grid_.shard.count != grid_.shard.index) continue;
          const std::size_t runs = missing(unit).size();
          if (runs == 0) continue;
          units_.push_back(unit);
          total_ += runs;
          total_work_ += size(unit) * static_cast<double>(runs);
        }
    std::ranges::stable_sort(units_, std::ranges::greater{},
                             [&](const Unit& unit) { return size(unit); });
  }

  // A number for the unit that other processes with the same data and options find too.
  std::uint64_t lock_number(const Unit& unit) const {
    return Stream(seed(unit), contents_[unit.dataset] + protocols_[unit.variant]).word();
  }

  // Leaves a unit that another process has for later, or waits for it.
  void attempt(const Unit& unit, bool leave_busy) {
    if (cancel_ || failed_) return;
    try {
      std::optional<FileLocks::Held> held;
      if (work_.locks) {
        while (!(held = work_.locks->try_lock(lock_number(unit)))) {
          if (cancel_) return;
          if (leave_busy) {
            const std::lock_guard lock(mutex_);
            busy_.push_back(unit);
            return;
          }
          std::this_thread::sleep_for(std::chrono::milliseconds(100));
        }
      }
      work_off(unit);
    } catch (const Error& error) {
      failed_ = true;
      throw Error(grid_.datasets[unit.dataset].name + ": " + error.what());
    } catch (...) {
      failed_ = true;
      throw;
    }
  }

  void work_off(const Unit& unit) {
    const std::vector<std::size_t> methods = missing(unit);
    if (methods.empty()) return;
    CancelObserver observer(cancel_, failed_);
    const PreparedRun prepared(grid_.datasets[unit.dataset], seed(unit),
                               grid_.variants[unit.variant], &observer);
    for (const std::size_t m : methods) {
      const std::optional<RunRecord> record = prepared.run(grid_.methods[m], &observer);
      if (!record) return;
      report(unit, m, *record);
    }
  }

  void report(const Unit& unit, std::size_t method, const RunRecord& record) {
    const std::lock_guard lock(mutex_);
    const std::size_t index =
        ((unit.dataset * grid_.variants.size() + unit.variant) * grid_.methods.size() + method) *
            grid_.runs +
        unit.run;
    done_work_ += size(unit);
    work_.on_finished({record, index, ++finished_, total_, done_work_ / total_work_});
  }

  const Grid& grid_;
  const GridWork& work_;
  const std::atomic<bool>& cancel_;
  std::vector<std::string> configurations_;  // variant by variant, one a method
  std::vector<std::string> protocols_;       // of the variants, whatever the method
  std::vector<std::string> contents_;        // of the data sets
  std::vector<Unit> units_;
  std::vector<Unit> busy_;
  std::atomic<bool> failed_{false};
  std::mutex mutex_;
  std::size_t finished_ = 0;
  std::size_t total_ = 0;
  double done_work_ = 0.0;
  double total_work_ = 0.0;
};

}  // namespace

std::size_t run_grid(const Grid& grid, const GridWork& work, const std::atomic<bool>& cancel) {
  GridRun run(grid, work, cancel);
  run.run();
  return run.total();
}

}  // namespace uaspl
