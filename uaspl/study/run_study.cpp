// Runs a study, see run_study.hpp.
#include "uaspl/study/run_study.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "uaspl/base/error.hpp"
#include "uaspl/data/table/known_tables.hpp"
#include "uaspl/io/file_lock.hpp"
#include "uaspl/study/cluster/coordinator.hpp"
#include "uaspl/study/run_csv.hpp"

namespace uaspl {
namespace {

void check_names(std::span<const Dataset> datasets) {
  std::set<std::string> names;
  for (const Dataset& data : datasets)
    if (!names.insert(data.name).second)
      throw UsageError(fmt::format("two data sets are called '{}'; rename a file", data.name));
}

// Throws if classes are weighted that a data set does not have.
void check_classes(const ClassWeights& weights, const Dataset& data) {
  try {
    check_class_weights(weights, data.target);
  } catch (const UnknownName& error) {
    throw UnknownName(fmt::format("{}: {}", data.name, error.what()));
  }
}

// Throws if two data sets have the same content: the store would take them for one.
void check_contents(std::span<const Dataset> datasets) {
  std::map<std::string, std::string> names;
  for (const Dataset& data : datasets) {
    if (const auto [at, added] = names.emplace(data.identity, data.name); !added)
      throw UsageError(
          fmt::format("data sets '{}' and '{}' have the same content; name one of them", at->second,
                      data.name));
  }
}

// Collects finished runs in the store, the CSV file or memory.
class Results {
 public:
  Results(const StudyRunOptions& options, const Grid& grid)
      : csv_(options.csv, grid, options.safe_csv), runs_(csv_.earlier()) {
    for (const auto& [index, run] : runs_) taken_over_.insert(identity(run.key));
    if (options.database.empty()) return;
    store_ = std::make_shared<Store>(options.database, Store::Open::kCreate);
    locks_.emplace(options.database + ".lock");
  }

  void add(const Finished& one) {
    if (store_) {
      store_->add(one.run);
    } else {
      csv_.add(one.index, one.run);
      RunRecord& kept = runs_[one.index] = one.run;
      kept.samples.clear();
      kept.predictions.clear();
      kept.passes.clear();
    }
  }

  bool wanted(const RunKey& key, const RunParts& parts) {
    return store_ ? !store_->has(key, parts) : !taken_over_.contains(identity(key));
  }
  std::size_t taken_over() const { return csv_.earlier().size(); }
  FileLocks* locks() { return locks_ ? &*locks_ : nullptr; }
  RunCsv& csv() { return csv_; }
  const std::shared_ptr<Store>& store() const { return store_; }
  std::vector<RunRecord> runs() {
    std::vector<RunRecord> all;
    for (auto& [index, run] : runs_) all.push_back(std::move(run));
    return all;
  }

 private:
  using Identity = std::tuple<std::string, std::string, std::string, std::uint32_t>;
  static Identity identity(const RunKey& key) {
    return {key.dataset, key.method, key.configuration, key.seed};
  }

  RunCsv csv_;
  std::map<std::size_t, RunRecord> runs_;  // by their place in the grid
  std::set<Identity> taken_over_;          // of a bench that was killed
  std::shared_ptr<Store> store_;
  std::optional<FileLocks> locks_;
};

// Returns how many images the missing runs will see; 0 for tables.
double missing_images(const Grid& grid, Results& results) {
  double images = 0.0;
  for (const Dataset& data : grid.datasets) {
    if (!data.is_images()) continue;
    const DatasetId dataset = dataset_id(data);
    for (const ExperimentOptions& options : grid.variants)
      for (std::size_t run = 0; run < grid.runs; ++run) {
        double pretraining = 0.0;
        for (const ChosenMethod& method : grid.methods) {
          const std::uint32_t seed = grid.seed(run);
          if (!results.wanted(run_key(dataset, method, options, seed), options.parts())) continue;
          const PlannedRows planned = planned_rows(data, method, options.fit, options.rows, seed);
          images += planned.stages;
          pretraining = planned.pretraining;  // shared by all methods
        }
        images += pretraining;
      }
  }
  return images;
}

// Returns the runs of the store that the grid asks for, with the grid's names of the data sets.
std::vector<RunRecord> stored_runs(const Grid& grid, Store& store) {
  std::set<std::tuple<std::string, std::string, std::string>> asked;
  std::map<std::string, std::string> names;  // by content
  for (const Dataset& data : grid.datasets) {
    const DatasetId dataset = dataset_id(data);
    names[dataset.content] = dataset.name;
    for (const ExperimentOptions& variant : grid.variants)
      for (const ChosenMethod& method : grid.methods) {
        const RunKey key = run_key(dataset, method, variant, 0);
        asked.emplace(key.data_sha256, key.method, key.configuration);
      }
  }
  std::set<std::uint32_t> seeds;
  for (std::size_t run = 0; run < grid.runs; ++run) seeds.insert(grid.seed(run));
  std::vector<RunRecord> runs = store.runs();
  std::erase_if(runs, [&](const RunRecord& run) {
    return !seeds.contains(run.key.seed) ||
           !asked.contains({run.key.data_sha256, run.key.method, run.key.configuration});
  });
  for (RunRecord& run : runs) run.key.dataset = names[run.key.data_sha256];
  return runs;
}

// Removes checkpoint folders that are empty.
void remove_empty_checkpoints(const Grid& grid) {
  for (const ExperimentOptions& variant : grid.variants) {
    std::error_code not_empty;
    if (!variant.checkpoints.empty()) std::filesystem::remove(variant.checkpoints, not_empty);
  }
}

// Runs the grid; fills in how many runs were finished, and how many were missing.
void work_off_grid(const Grid& grid, const StudyRunOptions& options, Results& results,
                   const std::atomic<bool>& cancel, StudyOutcome& outcome) {
  const auto show = [&](const WorkProgress& progress) {
    if (options.on_progress) options.on_progress(progress);
  };
  // Progress counts images only if this process sees all of them, one run after the other.
  const bool alone = options.jobs == 1 && !options.coordinator && grid.shard.count == 1;
  const double images = alone ? missing_images(grid, results) : 0.0;
  std::atomic<std::size_t> seen{0};
  GridCallbacks callbacks{
      .on_finished =
          [&](const Finished& one) {
            results.add(one);
            outcome.finished = one.finished;
            if (images == 0.0) show({one.finished, one.total, one.share_of_work, "runs"});
          },
      .wanted =
          [&](const RunKey& key) { return results.wanted(key, grid.variants.front().parts()); },
      .locks = results.locks(),
      .jobs = options.jobs};
  if (images > 0.0)
    callbacks.on_step = [&](std::size_t rows) {
      seen += rows;
      show({seen, static_cast<std::size_t>(images),
            std::min(1.0, static_cast<double>(seen) / images), "images"});
    };
  outcome.missing = options.coordinator ? options.coordinator->run(grid, callbacks, cancel)
                                        : run_grid(grid, callbacks, cancel);
}

}  // namespace

std::vector<std::string> table_names(const Study& study, const DataFolders& folders) {
  std::vector<std::string> names;
  const auto add = [&](const std::string& name) {
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  };
  for (const std::string& name : study.datasets) {
    if (name == "all") {
      const auto known = dataset_names(folders);
      if (known.empty()) throw Error("data sets `all`: no CSV file found in the data folders");
      std::ranges::for_each(known, add);
    } else {
      std::ranges::for_each(named_sets(name), add);
    }
  }
  return names;
}

namespace {

// `all` methods of a study on images are those that there are for images.
std::vector<ChosenMethod> methods_of(const Study& study) {
  std::vector<ChosenMethod> chosen = choose_methods(study.methods, study.settings);
  const bool all = std::ranges::find(study.methods, "all") != study.methods.end();
  if (all && !study.images.empty())
    std::erase_if(chosen, [](const ChosenMethod& one) { return !one.info->has_stages(); });
  return chosen;
}

}  // namespace

StudyGrid::StudyGrid(const Study& study, std::vector<Dataset> datasets, const Shard& shard)
    : methods_(methods_of(study)), datasets_(std::move(datasets)) {
  check_names(datasets_);
  for (const Dataset& data : datasets_)
    for (const ExperimentOptions& variant : study.variants)
      check_classes(variant.fit.class_weights, data);
  for (Dataset& data : datasets_) data.identity = content_sha256(data);  // once, for all runs
  grid_ = {.datasets = datasets_,
           .methods = methods_,
           .first_seed = study.first_seed,
           .runs = study.runs,
           .seeds = study.seeds,
           .variants = study.variants,
           .shard = shard};
}

StudyOutcome run_study(const StudyGrid& study, const StudyRunOptions& options,
                       const std::atomic<bool>& cancel) {
  const Grid& grid = study.grid();
  if ((grid.shard.count > 1 || options.coordinator) && options.database.empty())
    throw UsageError("a part of the work needs a results store, to put the parts together");
  if (!options.database.empty() && !options.csv.empty())
    throw UsageError("runs go to a results store or to a CSV file, not to both");
  if (!options.database.empty()) check_contents(grid.datasets);
  Results results(options, grid);
  if (results.taken_over() > 0 && options.on_taken_over)
    options.on_taken_over(results.taken_over(), results.csv().journal());
  StudyOutcome outcome;
  try {
    work_off_grid(grid, options, results, cancel, outcome);
    if (!results.store()) outcome.place = results.csv().deliver();
  } catch (const Error& error) {
    const std::string kept = results.store() ? options.database : results.csv().journal();
    const std::size_t finished = outcome.finished + results.taken_over();
    if (finished == 0 || kept.empty()) throw;
    throw Error(fmt::format("{} ({} finished runs are in {})", error.what(), finished, kept));
  }
  remove_empty_checkpoints(grid);
  outcome.store = results.store();
  if (outcome.store) {
    outcome.place = options.database;
    outcome.runs = stored_runs(grid, *outcome.store);
  } else {
    outcome.csv_text = results.csv().text();
    outcome.runs = results.runs();
  }
  return outcome;
}

}  // namespace uaspl
