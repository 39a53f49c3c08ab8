// Working off a grid, see grid.hpp.
#include "uaspl/run/grid.hpp"

#include <algorithm>
#include <mutex>
#include <numeric>
#include <optional>
#include <string>
#include <utility>

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

// Holds results that wait for earlier ones and hands them on in order.
class Delivery {
 public:
  Delivery(const Grid& grid, const std::function<void(const RunResult&)>& on_result,
           const std::function<void(const GridProgress&)>& on_progress)
      : grid_(grid), results_(grid.size()), on_result_(on_result), on_progress_(on_progress) {
    for (const Dataset& data : grid.datasets) total_work_ += work(data);
    total_work_ *= static_cast<double>(grid.methods.size() * grid.runs);
  }

  static double work(const Dataset& data) { return static_cast<double>(data.rows()); }

  void add(std::size_t dataset, std::size_t method, std::size_t run, RunResult result) {
    const std::lock_guard lock(mutex_);
    results_[(dataset * grid_.methods.size() + method) * grid_.runs + run] = std::move(result);
    ++finished_;
    done_work_ += work(grid_.datasets[dataset]);
    while (next_ < results_.size() && results_[next_]) {
      on_result_(*results_[next_]);
      results_[next_++].reset();
      ++delivered_;
    }
    on_progress_({finished_, results_.size(), done_work_ / total_work_});
  }

  // After a cancelled grid: what is there, over the gaps.
  std::size_t finish() {
    for (; next_ < results_.size(); ++next_) {
      if (!results_[next_]) continue;
      on_result_(*results_[next_]);
      ++delivered_;
    }
    return delivered_;
  }

 private:
  const Grid& grid_;
  std::vector<std::optional<RunResult>> results_;
  const std::function<void(const RunResult&)>& on_result_;
  const std::function<void(const GridProgress&)>& on_progress_;
  std::mutex mutex_;
  std::size_t next_ = 0;
  std::size_t delivered_ = 0;
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

std::size_t run_grid(const Grid& grid, std::size_t jobs, const std::atomic<bool>& cancel,
                     const std::function<void(const RunResult&)>& on_result,
                     const std::function<void(const GridProgress&)>& on_progress) {
  Delivery delivery(grid, on_result, on_progress);
  const std::vector<std::size_t> units = unit_order(grid);
  std::atomic<bool> failed{false};
  const auto work = [&](std::size_t task, std::size_t) {
    if (cancel || failed) return;
    const std::size_t dataset = units[task] / grid.runs;
    const std::size_t run = units[task] % grid.runs;
    try {
      CancelObserver observer(cancel);
      const PreparedRun prepared(grid.datasets[dataset],
                                 grid.first_seed + static_cast<std::uint32_t>(run), grid.options,
                                 &observer);
      for (std::size_t m = 0; m < grid.methods.size(); ++m) {
        RunResult result = prepared.run(grid.methods[m], &observer);
        if (result.report.stopped) return;
        delivery.add(dataset, m, run, std::move(result));
      }
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
  return delivery.finish();
}

}  // namespace uaspl
