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

// Returns the tables that a study names, each once, in its order: `all` stands for those in the
// folders, `paper` and `honest` for the paper's.
std::vector<std::string> table_names(const Study& study, const DataFolders& folders);

// Methods and data sets of a study, and the grid of both of them.
class StudyGrid {
 public:
  // The data sets must have distinct names.
  StudyGrid(const Study& study, std::vector<Dataset> datasets, const Shard& shard = {});
  StudyGrid(const StudyGrid&) = delete;
  StudyGrid& operator=(const StudyGrid&) = delete;

  const std::vector<ChosenMethod>& methods() const { return methods_; }
  const std::vector<Dataset>& datasets() const { return datasets_; }
  const Grid& grid() const { return grid_; }

 private:
  std::vector<ChosenMethod> methods_;
  std::vector<Dataset> datasets_;
  Grid grid_;  // of these methods and data sets
};

// The progress of the work.
struct WorkProgress {
  std::size_t done;
  std::size_t total;
  double share;           // of the work, 0..1
  std::string_view unit;  // what is counted: runs, or images that steps have used
};

struct StudyRunOptions {
  std::string database = {};  // results store for the runs; those in it are not run again
  std::string csv = {};       // or a CSV file with one line for each run
  bool safe_csv = false;      // without cells that spreadsheets take for formulas
  std::size_t jobs = 1;       // number of runs at the same time; changes no result
  std::function<void(const WorkProgress&)> on_progress = nullptr;
  Coordinator* coordinator = nullptr;  // for several ranks; needs a store
  // Says how many runs a killed one had finished, and the journal that has them.
  std::function<void(std::size_t, const std::string&)> on_taken_over = nullptr;
};

struct StudyOutcome {
  std::size_t finished = 0;      // number of runs just finished
  std::size_t missing = 0;       // number of runs missing at the beginning
  std::vector<RunRecord> runs;   // finished runs of the grid, without their parts; those taken
                                 // over from the journal of a CSV file have no stages
  std::string csv_text;          // the lines of the CSV file, if there is no store
  std::string place;             // where the runs are, for a message; empty: only here
  std::shared_ptr<Store> store;  // if there is one
};

// Runs the study. When `cancel` turns true, runs in progress are given up and finished ones are
// kept. An error says where finished runs are.
StudyOutcome run_study(const StudyGrid& study, const StudyRunOptions& options,
                       const std::atomic<bool>& cancel);

}  // namespace uaspl
