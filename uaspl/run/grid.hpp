// A grid of data sets x methods x seeds, worked off by several jobs; results do not depend on how
// many.
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

// A run that has just been finished.
struct Finished {
  const RunResult& run;
  std::size_t index;     // its place in the order data set, method, seed
  std::size_t finished;  // runs so far, this one included
  double share_of_work;  // done so far, 0..1, runs weighted by their size
};

// Calls `on_finished` for one run at a time, in the order in which they end. When `cancel` turns
// true, runs under way are given up. An error ends the grid and names the data set.
void run_grid(const Grid& grid, std::size_t jobs, const std::atomic<bool>& cancel,
              const std::function<void(const Finished&)>& on_finished);

}  // namespace uaspl
