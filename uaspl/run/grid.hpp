// A grid of data sets x methods x seeds, worked off by several jobs; results do not depend on how many.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "uaspl/run/experiment.hpp"

namespace uaspl {

struct Grid {
  std::span<const Dataset> datasets;
  std::span<const ChosenMethod> methods;
  std::uint32_t first_seed = 2025;
  std::size_t runs = 1;
  ExperimentOptions options;
  std::size_t size() const { return datasets.size() * methods.size() * runs; }
};

struct GridProgress {
  std::size_t finished;
  std::size_t total;
  double share_of_work;  // 0..1, runs weighted by their size
};

// Calls `on_result` in the order data set, method, seed, one call at a time, as soon as a result and
// all before it are there; `on_progress` whenever a run is finished. When `cancel` turns true, running
// units are given up and later results are left out. Returns the number of results delivered.
std::size_t run_grid(const Grid& grid, std::size_t jobs, const std::atomic<bool>& cancel,
                     const std::function<void(const RunResult&)>& on_result,
                     const std::function<void(const GridProgress&)>& on_progress);

}  // namespace uaspl
