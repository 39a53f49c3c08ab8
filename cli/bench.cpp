// What `uaspl bench` and `uaspl reproduce` do, see bench.hpp.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <thread>

#include "cli/bench.hpp"
#include "cli/commands.hpp"
#include "cli/options.hpp"
#include "cli/overview.hpp"
#include "cli/progress.hpp"
#include "cli/ranks.hpp"
#include "cli/run_lines.hpp"
#include "cli/work.hpp"
#include "uaspl/base/error.hpp"
#include "uaspl/base/file.hpp"
#include "uaspl/data/catalogue.hpp"
#include "uaspl/data/known_sets.hpp"
#include "uaspl/report/json.hpp"
#include "uaspl/report/markdown.hpp"
#include "uaspl/run/grid.hpp"
#include "uaspl/run/store.hpp"
#include "uaspl/train/learner.hpp"

namespace uaspl::cli {
namespace {

// Data sets by name or file, each once, in the order in which they are given.
std::vector<std::string> wanted_datasets(const BenchOptions& options, const DataFolders& folders) {
  std::vector<std::string> names;
  const auto add = [&](const std::string& name) {
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  };
  for (const std::string& name : options.study.datasets) {
    if (name == "all") {
      const auto known = dataset_names(folders);
      if (known.empty())
        throw Error("--datasets all: no CSV file found; name a folder with --data or UASPL_DATA");
      std::ranges::for_each(known, add);
    } else {
      std::ranges::for_each(named_sets(name), add);
    }
  }
  return names;
}

void add_dataset(Dataset data, std::vector<Dataset>& datasets) {
  for (const Dataset& other : datasets)
    if (other.name == data.name)
      throw UsageError(fmt::format("two data sets are called '{}'; rename a file", data.name));
  datasets.push_back(std::move(data));
}

std::vector<Dataset> open_image_datasets(const BenchOptions& options) {
  const DataFolders folders = data_folders(options.data);
  std::vector<Dataset> datasets;
  for (const std::string& name : options.study.images)
    add_dataset(open_image_dataset(name, folders, options.images, options.study.variants.front(),
                                   options.common.quiet),
                datasets);
  return datasets;
}

std::vector<Dataset> open_datasets(const BenchOptions& options) {
  if (!options.study.images.empty()) return open_image_datasets(options);
  const DataFolders folders = data_folders(options.data);
  LoadOptions load = options.load;
  load.format = options.file.format();
  std::vector<Dataset> datasets;
  for (const std::string& name : wanted_datasets(options, folders)) {
    std::error_code failed;
    if (!options.output.empty() && std::filesystem::equivalent(name, options.output, failed))
      throw UsageError(fmt::format("{}: the output would overwrite the data", name));
    Dataset data = open_dataset(name, folders, load);
    check_learnable(data);
    add_dataset(std::move(data), datasets);
  }
  return datasets;
}

// Where finished runs go: a CSV file, a results store, or nowhere but the table.
class Results {
 public:
  Results(const BenchOptions& options, std::size_t count) : lines_(options.output, count) {
    if (options.database.empty()) return;
    store_.emplace(options.database, Store::Open::kCreate);
    locks_.emplace(options.database + ".lock");
  }

  void add(const Finished& one) {
    if (store_) {
      store_->add(one.run);
    } else {
      lines_.add(one.index, one.run);
    }
  }

  bool wanted(const RunKey& key, bool trace) { return !store_ || !store_->has(key, trace); }
  FileLocks* locks() { return locks_ ? &*locks_ : nullptr; }
  Lines& lines() { return lines_; }
  Store* store() { return store_ ? &*store_ : nullptr; }

 private:
  Lines lines_;
  std::optional<Store> store_;
  std::optional<FileLocks> locks_;
};

std::size_t jobs_of(const BenchOptions& options, bool ranks) {
  if (options.jobs > 0) return options.jobs;
  return ranks ? 1 : std::max(1U, std::thread::hardware_concurrency());
}

// How many images the missing runs will see; nothing where they are of tables.
double missing_images(const Grid& grid, Results& results) {
  double images = 0.0;
  for (const Dataset& data : grid.datasets) {
    if (!data.images) continue;
    const std::string content = content_sha256(data);
    for (const ExperimentOptions& options : grid.variants)
      for (std::size_t run = 0; run < grid.runs; ++run) {
        double pretraining = 0.0;
        for (const ChosenMethod& method : grid.methods) {
          const std::uint32_t seed = grid.seed(run);
          if (!results.wanted(run_key(data, content, method, options, seed), options.trace))
            continue;
          const PlannedImages planned = planned_images(data, method, options, seed);
          images += planned.stages;
          pretraining = planned.pretraining;  // that all methods share
        }
        images += pretraining;
      }
  }
  return images;
}

// Returns how many runs were finished, of how many that were missing.
std::pair<std::size_t, std::size_t> run_and_collect(const Grid& grid, const BenchOptions& options,
                                                    Results& results, Overview& overview,
                                                    Lead* lead) {
  Progress progress(!options.common.quiet);
  std::pair<std::size_t, std::size_t> done{0, 0};
  // Images are counted where all of them are seen here, one run after the other.
  const bool alone = jobs_of(options, lead != nullptr) == 1 && !lead && grid.shard.count == 1;
  const double images = alone ? missing_images(grid, results) : 0.0;
  std::atomic<std::size_t> seen{0};
  GridWork work{
      .on_finished =
          [&](const Finished& one) {
            results.add(one);
            if (!results.store()) overview.add(one.run);
            if (images == 0.0) progress.show(one.finished, one.total, one.share_of_work, "runs");
            done.first = one.finished;
          },
      .wanted = [&](const RunKey& key) { return results.wanted(key, grid.variants.front().trace); },
      .locks = results.locks(),
      .jobs = jobs_of(options, lead != nullptr)};
  if (images > 0.0)
    work.on_step = [&](std::size_t rows) {
      seen += rows;
      progress.show(seen, static_cast<std::size_t>(images),
                    std::min(1.0, static_cast<double>(seen) / images), "images");
    };
  try {
    done.second = lead ? lead->run(grid, work, interrupted) : run_grid(grid, work, interrupted);
  } catch (const Error& error) {
    const std::string kept = results.store() ? options.database : results.lines().journal();
    if (done.first == 0 || kept.empty()) throw;
    throw Error(fmt::format("{} ({} finished runs are in {})", error.what(), done.first, kept));
  }
  return done;
}

// A store knows data sets by their content, which is kept here: two names for one would be one.
void check_contents(std::span<Dataset> datasets) {
  std::map<std::string, std::string> names;
  for (Dataset& data : datasets) {
    data.content = content_sha256(data);
    if (const auto [at, added] = names.emplace(data.content, data.name); !added)
      throw UsageError(
          fmt::format("data sets '{}' and '{}' have the same content; name one of them", at->second,
                      data.name));
  }
}

// The runs of the store that the grid asks for, under the names that it has for the data sets.
std::vector<RunRecord> stored_runs(const Grid& grid, Store& store) {
  std::set<std::pair<std::string, std::string>> asked;  // method and configuration
  for (const Dataset& data : grid.datasets)
    for (const ExperimentOptions& variant : grid.variants)
      for (const ChosenMethod& method : grid.methods)
        asked.emplace(method.info->name, configuration(suited(method, data.settings), variant));
  std::set<std::uint32_t> seeds;
  for (std::size_t run = 0; run < grid.runs; ++run) seeds.insert(grid.seed(run));
  std::map<std::string, std::string> contents;
  for (const Dataset& data : grid.datasets) contents[content_sha256(data)] = data.name;
  std::vector<RunRecord> runs = store.runs();
  std::erase_if(runs, [&](const RunRecord& run) {
    return !contents.contains(run.key.data_sha256) || !seeds.contains(run.key.seed) ||
           !asked.contains({run.key.method, run.key.configuration});
  });
  for (RunRecord& run : runs) run.key.dataset = contents[run.key.data_sha256];
  return runs;
}

// The study with what the command line says otherwise.
void apply_options(BenchOptions& options) {
  Study& study = options.study;
  if (!options.datasets.empty()) study.datasets = options.datasets;
  const bool images = !study.images.empty() || !options.images.names.empty();
  if (images && !study.datasets.empty())
    throw UsageError(study.images.empty()
                         ? "this is a study of tables; --datasets names them, not --images"
                         : "this is a study of images; --images names them, not --datasets");
  if (!images && options.images.any())
    throw UsageError("--network, --profile, --limit and the like are for work on --images");
  if (images) apply_image_options(options.images, study);
  if (options.runs) study.runs = *options.runs;
  if (!study.seeds.empty() && study.runs > study.seeds.size())
    throw UsageError(
        fmt::format("--runs {}: the plan has {} seeds", study.runs, study.seeds.size()));
  for (ExperimentOptions& variant : study.variants) {
    if (options.steps) variant.training.passes = *options.steps;
    if (options.rate) variant.training.step.rate = *options.rate;
    if (options.pretraining) variant.pretraining = *options.pretraining;
    variant.trace = variant.trace || options.trace;
    // Jobs keep the cores busy; those of images have one job, unless more are asked for.
    const std::size_t cores = std::max(1U, std::thread::hardware_concurrency());
    const std::size_t usual =
        images ? std::max<std::size_t>(1, cores / std::max<std::size_t>(1, options.jobs)) : 1;
    variant.threads = options.common.threads > 0 ? options.common.threads : usual;
    if (images && !options.database.empty())
      variant.checkpoints = options.database + ".checkpoints";
  }
  if (images && options.jobs == 0) options.jobs = 1;
}

// What every rank needs to know of the work.
struct Asked {
  explicit Asked(const BenchOptions& options)
      : chosen(choose_methods(options.study.methods, options.study.settings)),
        datasets(open_datasets(options)) {
    if (!options.database.empty()) check_contents(datasets);
    grid = {.datasets = datasets,
            .methods = chosen,
            .first_seed = options.study.first_seed,
            .runs = options.study.runs,
            .seeds = options.study.seeds,
            .variants = options.study.variants,
            .shard = options.shard.empty() ? Shard{} : parse_shard(options.shard)};
  }
  Asked(const Asked&) = delete;
  Asked& operator=(const Asked&) = delete;

  std::vector<ChosenMethod> chosen;
  std::vector<Dataset> datasets;
  Grid grid;  // of the two above
};

int lead_bench(const BenchOptions& options, Lead* lead) {
  check_sections(options.study.show);
  const Asked asked(options);
  const auto& [chosen, datasets, grid] = asked;
  if (!options.common.quiet)
    for (const Dataset& data : datasets)
      if (data.dropped > 0)
        fmt::print(stderr, "{}: {} row(s) with a missing value left out\n", data.name,
                   data.dropped);
  if (grid.shard.count > 1 && options.database.empty())
    throw UsageError("a shard of the work needs --db; `uaspl merge` puts the files together");

  Results results(options, grid.size());
  Overview overview;
  const auto [finished, missing] = run_and_collect(grid, options, results, overview, lead);
  for (const ExperimentOptions& variant : grid.variants) {
    std::error_code not_empty;
    if (!variant.checkpoints.empty()) std::filesystem::remove(variant.checkpoints, not_empty);
  }
  std::string place = options.database;
  std::vector<RunRecord> stored;
  if (results.store()) {
    stored = stored_runs(grid, *results.store());
    for (const RunRecord& run : stored) overview.add(run);
    if (!options.common.quiet)
      fmt::print(stderr, "{}: {} new run(s), {} of these runs in all\n", place, finished,
                 stored.size());
  } else {
    place = results.lines().deliver();
  }
  std::FILE* const out = options.output == "-" ? stderr : stdout;
  if (options.report && options.common.json) {
    fmt::print(out, "{}", json_report(tabulate(stored)));
  } else if (options.common.json) {
    overview.print_json(out);
  } else if (options.report && !options.common.quiet) {
    fmt::print(out, "{}",
               markdown_report(make_report(stored, *results.store()), options.study.show));
  } else if (!options.common.quiet) {
    overview.print_table(out, datasets, chosen);
  }
  overview.print_warnings();
  if (!interrupted) return kExitDone;
  fmt::print(stderr, "uaspl: interrupted; {} of {} runs were finished{}\n", finished, missing,
             finished > 0 && !place.empty() ? " and are in " + place : "");
  return kExitInterrupted;
}

}  // namespace

int run_bench(BenchOptions options) {
  apply_options(options);
  const std::optional<Shard> place = place_among_ranks();
  if (!place || place->count < 2 || !options.shard.empty()) return lead_bench(options, nullptr);
  if (options.database.empty())
    throw UsageError("several ranks need --db, the results store that rank 0 writes");
  if (std::ranges::find(options.study.datasets, "-") != options.study.datasets.end())
    throw UsageError("several ranks cannot share standard input; name a file");
  return run_on_ranks(
      join_ranks(), [&](Lead& lead) { return lead_bench(options, &lead); },
      [&](Follower& follower) {
        follower.work(Asked(options).grid, jobs_of(options, true), interrupted);
      });
}

}  // namespace uaspl::cli
