// Working off a grid, see grid.hpp.
#include "uaspl/run/grid.hpp"

#include <algorithm>
#include <mutex>
#include <numeric>
#include <string>

#include "uaspl/base/error.hpp"
#include "uaspl/base/threads.hpp"

namespace uaspl {
namespace {

class CancelObserver final : public Observer {
 public:
  explicit CancelObserver(const std::atomic<bool>& cancel) : cancel_(cancel) {}
  bool stop() override { return cancel_.load(std::memory_order_relaxed); }

 private:
  const std::atomic<bool>& cancel_;
};

// Counts finished runs and reports them one at a time.
class Reporter {
 public:
  Reporter(const Grid& grid, const std::function<void(const Finished&)>& on_finished)
      : grid_(grid), on_finished_(on_finished) {
    for (const Dataset& data : grid.datasets) total_work_ += work(data);
    total_work_ *= static_cast<double>(grid.methods.size() * grid.runs);
  }

  void add(std::size_t dataset, std::size_t method, std::size_t run, const RunResult& result) {
    const std::lock_guard lock(mutex_);
    const std::size_t index = (dataset * grid_.methods.size() + method) * grid_.runs + run;
    done_work_ += work(grid_.datasets[dataset]);
    on_finished_({result, index, ++finished_, done_work_ / total_work_});
  }

 private:
  static double work(const Dataset& data) { return static_cast<double>(data.rows()); }

  const Grid& grid_;
  const std::function<void(const Finished&)>& on_finished_;
  std::mutex mutex_;
  std::size_t finished_ = 0;
  double done_work_ = 0.0;
  double total_work_ = 0.0;
};

// Units (data set, run), the largest data sets first, so that no long unit is left to the end.
std::vector<std::size_t> unit_order(const Grid& grid) {
  std::vector<std::size_t> units(grid.datasets.size() * grid.runs);
  std::iota(units.begin(), units.end(), std::size_t{0});
  std::ranges::stable_sort(units, std::ranges::greater{}, [&](std::size_t unit) {
    return grid.datasets[unit / grid.runs].rows();
  });
  return units;
}

}  // namespace

void run_grid(const Grid& grid, std::size_t jobs, const std::atomic<bool>& cancel,
              const std::function<void(const Finished&)>& on_finished) {
  Reporter reporter(grid, on_finished);
  const std::vector<std::size_t> units = unit_order(grid);
  std::atomic<bool> failed{false};
  const auto run_unit = [&](std::size_t dataset, std::size_t run) {
    CancelObserver observer(cancel);
    const auto seed = grid.first_seed + static_cast<std::uint32_t>(run);
    const PreparedRun prepared(grid.datasets[dataset], seed, grid.options, &observer);
    for (std::size_t m = 0; m < grid.methods.size(); ++m) {
      const RunResult result = prepared.run(grid.methods[m], &observer);
      if (result.report.stopped) return;
      reporter.add(dataset, m, run, result);
    }
  };
  const auto work = [&](std::size_t task, std::size_t) {
    if (cancel || failed) return;
    const std::size_t dataset = units[task] / grid.runs;
    try {
      run_unit(dataset, units[task] % grid.runs);
    } catch (const Error& error) {
      failed = true;
      throw Error(grid.datasets[dataset].name + ": " + error.what());
    } catch (...) {
      failed = true;
      throw;
    }
  };
  Workers workers(std::clamp<std::size_t>(jobs, 1, std::max<std::size_t>(1, units.size())));
  workers.run(units.size(), work);
}

}  // namespace uaspl
