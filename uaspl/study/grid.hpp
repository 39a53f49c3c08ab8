// A grid of data sets x variants x methods x seeds, run by several jobs, and by several processes
// if they share a results store. Results do not depend on their number.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "uaspl/study/experiment.hpp"

namespace uaspl {

class FileLocks;  // uaspl/io/file_lock.hpp

// Part `index` of `count` parts of the work, cut by data set and seed.
struct Shard {
  std::size_t index = 0;
  std::size_t count = 1;
};

struct Grid {
  std::span<const Dataset> datasets;
  std::span<const ChosenMethod> methods;
  std::uint32_t first_seed = 2025;
  std::size_t runs = 1;
  std::vector<std::uint32_t> seeds = {};  // of the runs; if empty, first_seed and those after it
  std::vector<ExperimentOptions> variants = {ExperimentOptions{}};
  Shard shard = {};
  std::uint32_t seed(std::size_t run) const {
    return seeds.empty() ? first_seed + static_cast<std::uint32_t>(run) : seeds[run];
  }
  std::size_t size() const { return datasets.size() * variants.size() * methods.size() * runs; }
};

// A run that has just been finished.
struct Finished {
  const RunRecord& run;
  std::size_t index;     // its place in the order data set, variant, method, seed
  std::size_t finished;  // runs so far, this one included
  std::size_t total;     // runs that were missing at the beginning
  double share_of_work;  // of the missing runs, done so far, 0..1, weighted by size
};

struct GridCallbacks {
  // Called for one run at a time, in the order in which they end.
  std::function<void(const Finished&)> on_finished;
  // Says whether a run is wanted; others are left out. If empty, all are wanted. It is called by
  // one thread at a time.
  std::function<bool(const RunKey&)> wanted = nullptr;
  // Shares the grid with other processes: each unit (data set, variant, seed) is done by one of
  // them.
  FileLocks* locks = nullptr;
  std::size_t jobs = 1;
  // Called from any thread with the number of rows of each step.
  std::function<void(std::size_t)> on_step = nullptr;
};

// Runs the grid, and returns how many runs were missing at the beginning. When `cancel` turns true,
// runs in progress are given up. An error ends the grid and names the data set.
std::size_t run_grid(const Grid& grid, const GridCallbacks& callbacks,
                     const std::atomic<bool>& cancel);

}  // namespace uaspl
