// `uaspl bench`: runs a grid of data sets x methods x seeds and writes one line a run.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <thread>

#include "cli/commands.hpp"
#include "cli/options.hpp"
#include "cli/overview.hpp"
#include "cli/progress.hpp"
#include "uaspl/base/error.hpp"
#include "uaspl/base/file.hpp"
#include "uaspl/data/catalogue.hpp"
#include "uaspl/data/known_sets.hpp"
#include "uaspl/run/grid.hpp"
#include "uaspl/train/learner.hpp"

namespace uaspl::cli {
namespace {

struct BenchOptions {
  std::vector<std::string> methods;
  std::vector<std::string> datasets;
  std::vector<std::string> settings;
  std::vector<std::string> data;
  std::size_t runs = 1;
  std::uint32_t first_seed = 2025;
  std::size_t jobs = std::max(1U, std::thread::hardware_concurrency());
  std::string output;
  LoadOptions load;
  FileOptions file;
  ExperimentOptions experiment;
  CommonOptions common;
};

// Data sets by name or file, each once, in the order in which they are given.
std::vector<std::string> wanted_datasets(const BenchOptions& options, const DataFolders& folders) {
  std::vector<std::string> names;
  const auto add = [&](const std::string& name) {
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  };
  for (const std::string& name : options.datasets) {
    if (name == "all") {
      const auto known = dataset_names(folders);
      if (known.empty())
        throw Error("--datasets all: no CSV file found; name a folder with --data or UASPL_DATA");
      std::ranges::for_each(known, add);
    } else if (name == "paper") {
      for (const KnownSet& set : known_sets()) add(std::string(set.name));
    } else {
      add(name);
    }
  }
  return names;
}

std::vector<Dataset> open_datasets(const BenchOptions& options) {
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
    for (const Dataset& other : datasets)
      if (other.name == data.name)
        throw UsageError(fmt::format("two data sets are called '{}'; rename a file", data.name));
    datasets.push_back(std::move(data));
  }
  return datasets;
}

constexpr std::string_view kHeader = "dataset,method,seed,accuracy,precision,recall,f1,seconds\n";

std::string csv_line(const RunResult& run) {
  const Metrics& m = run.metrics;
  return fmt::format("{},{},{},{},{},{},{},{:.4f}\n", csv_field(run.dataset), run.method, run.seed,
                     m.accuracy, m.precision, m.recall, m.f1, run.seconds);
}

// The lines of the output, by their place in the grid. Until all are there, finished ones are kept
// in a journal beside the file, so that not even a killed program loses them.
class Lines {
 public:
  Lines(std::string output, std::size_t count) : output_(std::move(output)), lines_(count) {
    if (output_.empty() || output_ == "-" || is_special_file(output_)) return;
    replaces_ = std::filesystem::exists(output_);
    const std::string journal = output_ + ".journal";
    if (std::filesystem::exists(journal))
      throw Error(fmt::format("{}: an earlier bench left its finished runs here; move or remove it",
                              journal));
    const AtomicFile probe(output_);  // an output that cannot be written fails before the work
    journal_.emplace(journal);
    journal_->write(kHeader);
  }

  void add(std::size_t index, std::string line) {
    if (journal_) journal_->write(line);
    lines_[index] = std::move(line);
    ++finished_;
  }

  std::size_t finished() const { return finished_; }

  // What is finished, in order, to where it was wanted. A part does not replace an earlier file.
  // Returns where it is now, for a message.
  std::string deliver() {
    const bool whole = finished_ == lines_.size();
    if (journal_ && !whole && replaces_ && finished_ > 0) return output_ + ".journal";
    if (!output_.empty() && (whole || finished_ > 0)) {
      Output output(output_);
      output.write(kHeader);
      for (const std::string& line : lines_) output.write(line);
      output.finish();
    }
    if (journal_) journal_->remove();
    return output_;
  }

  std::string journal() const { return journal_ ? journal_->path().string() : ""; }

 private:
  std::string output_;
  std::vector<std::string> lines_;
  std::size_t finished_ = 0;
  bool replaces_ = false;  // there was a file before
  std::optional<Journal> journal_;
};

void run_and_collect(const Grid& grid, const BenchOptions& options, Lines& lines,
                     Overview& overview) {
  Progress progress(!options.common.quiet);
  try {
    run_grid(grid, options.jobs, interrupted, [&](const Finished& one) {
      lines.add(one.index, csv_line(one.run));
      overview.add(one.run);
      progress.show(one.finished, grid.size(), one.share_of_work, "runs");
    });
  } catch (const Error& error) {
    if (lines.finished() == 0 || lines.journal().empty()) throw;
    throw Error(fmt::format("{} ({} finished runs are in {})", error.what(), lines.finished(),
                            lines.journal()));
  }
}

int run_bench(const BenchOptions& options) {
  const std::vector<ChosenMethod> chosen = choose_methods(options.methods, options.settings);
  const std::vector<Dataset> datasets = open_datasets(options);
  if (!options.common.quiet)
    for (const Dataset& data : datasets)
      if (data.dropped > 0)
        fmt::print(stderr, "{}: {} row(s) with a missing value left out\n", data.name,
                   data.dropped);

  ExperimentOptions experiment = options.experiment;
  experiment.threads =
      std::max<std::size_t>(1, options.common.threads);  // the jobs keep cores busy
  const Grid grid{.datasets = datasets,
                  .methods = chosen,
                  .first_seed = options.first_seed,
                  .runs = options.runs,
                  .options = experiment};
  Lines lines(options.output, grid.size());
  Overview overview;
  run_and_collect(grid, options, lines, overview);
  const std::string place = lines.deliver();
  if (options.common.json) {
    overview.print_json(options.output == "-" ? stderr : stdout);
  } else if (!options.common.quiet) {
    overview.print_table(options.output == "-" ? stderr : stdout, datasets, chosen);
  }
  overview.print_warnings();
  if (lines.finished() == grid.size()) return kExitDone;
  fmt::print(stderr, "uaspl: interrupted; {} of {} runs were finished{}\n", lines.finished(),
             grid.size(), lines.finished() > 0 && !place.empty() ? " and are in " + place : "");
  return kExitInterrupted;
}

}  // namespace

void add_bench(CLI::App& app, Action& action) {
  CLI::App* bench = app.add_subcommand("bench", "Compare methods on data sets over several seeds.");
  const auto options = std::make_shared<BenchOptions>();
  bench->add_option("--methods", options->methods, "Methods, or `all` (see `uaspl list methods`)")
      ->required()
      ->delimiter(',')
      ->allow_extra_args(false);
  bench
      ->add_option("--datasets", options->datasets,
                   "Data sets by name, CSV files, `all`, or `paper` (the paper's 25)")
      ->required()
      ->delimiter(',')
      ->allow_extra_args(false);
  bench->add_option("--runs", options->runs, "Runs of each pair; run i has seed FIRST_SEED + i")
      ->capture_default_str()
      ->check(CLI::Range(1U, 1000000U));
  bench->add_option("--first-seed", options->first_seed, "Seed of the first run")
      ->capture_default_str()
      ->check(CLI::Range(0U, 4000000000U));
  bench
      ->add_option("--data", options->data,
                   "Folder with NAME.csv or uci/NAME.csv; searched before $UASPL_DATA")
      ->allow_extra_args(false);
  add_load_options(*bench, options->load);
  add_file_options(*bench, options->file);
  bench->add_option("--steps", options->experiment.training.passes, "Steps of each stage")
      ->capture_default_str()
      ->check(CLI::Range(1, 1000000));
  bench
      ->add_option("--pretraining", options->experiment.pretraining,
                   "Cross-entropy steps before the stages")
      ->capture_default_str()
      ->check(CLI::Range(0, 1000000));
  bench->add_option("--jobs", options->jobs, "Runs at the same time; changes no result")
      ->capture_default_str()
      ->check(CLI::Range(1U, 4096U));
  bench
      ->add_option("--set", options->settings,
                   "METHOD.OPTION=VALUE (see `uaspl list methods --options`)")
      ->allow_extra_args(false);
  bench
      ->add_option("-o,--output", options->output,
                   "CSV file with one line a run; - is standard output")
      ->check([](const std::string& path) { return path.empty() ? "expected a file name" : ""; });
  add_common(*bench, options->common);
  bench->footer(
      "Half of the rows, drawn by the seed, are for testing. All methods of a run start from the "
      "same\n"
      "network after 20 cross-entropy steps. The table shows mean and deviation of the "
      "accuracy.\n\n"
      "Examples:\n"
      "  uaspl bench --methods direct,spl,uaspl --datasets iris --data data --runs 10\n"
      "  uaspl bench --methods all --datasets paper --runs 50 -o runs.csv");
  bench->callback([options, &action] { action = [options] { return run_bench(*options); }; });
}

}  // namespace uaspl::cli
