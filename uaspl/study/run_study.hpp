// Runs a study and collects its results: in a results store, in a CSV file, or in memory.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "uaspl/data/catalogue.hpp"
#include "uaspl/study/grid.hpp"
#include "uaspl/study/store.hpp"
#include "uaspl/study/study.hpp"

namespace uaspl {

class Coordinator;  // cluster/coordinator.hpp

// The tables that a study names, each once, in its order: `all` stands for those in the folders,
// `paper` and `honest` for the paper's.
std::vector<std::string> table_names(const Study& study, const DataFolders& folders);

// Methods and data sets of a study, and the grid of both.
class StudyGrid {
 public:
  // With distinct names and, for a results store, which knows data sets by their content, with
  // distinct contents.
  StudyGrid(const Study& study, std::vector<Dataset> datasets, const Shard& shard = {},
            bool for_store = false);
  StudyGrid(const StudyGrid&) = delete;
  StudyGrid& operator=(const StudyGrid&) = delete;

  const std::vector<ChosenMethod>& methods() const { return methods_; }
  const std::vector<Dataset>& datasets() const { return datasets_; }
  const Grid& grid() const { return grid_; }

 private:
  std::vector<ChosenMethod> methods_;
  std::vector<Dataset> datasets_;
  Grid grid_;  // of the two above
};

// How far the work is.
struct WorkProgress {
  std::size_t done;
  std::size_t total;
  double share;           // of the work, 0..1
  std::string_view unit;  // what is counted: runs, or images that a step was made on
};

struct StudyRunOptions {
  std::string database = {};  // results store to add the runs to; what it has is not run again
  std::string csv = {};       // or a CSV file with one line a run
  std::size_t jobs = 1;       // runs at the same time; changes no result
  std::function<void(const WorkProgress&)> on_progress = nullptr;
  Coordinator* coordinator = nullptr;  // of several ranks that share the work; needs a store
};

struct StudyOutcome {
  std::size_t finished = 0;      // runs, just now
  std::size_t missing = 0;       // runs at the beginning
  std::vector<RunRecord> runs;   // of the grid that there are, without their samples
  std::string csv_text;          // the lines of the CSV file, where there is no store
  std::string place;             // where the runs are, for a message; empty: only here
  std::shared_ptr<Store> store;  // where there is one
};

// When `cancel` turns true, runs under way are given up; what is finished is kept. An error names
// where finished runs are.
StudyOutcome run_study(const StudyGrid& study, const StudyRunOptions& options,
                       const std::atomic<bool>& cancel);

}  // namespace uaspl
