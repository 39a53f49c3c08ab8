// `uaspl bench`: runs a grid of data sets x methods x seeds and writes one line a run.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <thread>

#include "cli/commands.hpp"
#include "cli/options.hpp"
#include "cli/progress.hpp"
#include "uaspl/base/error.hpp"
#include "uaspl/base/file.hpp"
#include "uaspl/data/catalogue.hpp"
#include "uaspl/report/stats.hpp"
#include "uaspl/run/grid.hpp"

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
  bool quiet = false;
};

std::vector<Dataset> open_datasets(const BenchOptions& options) {
  const DataFolders folders = data_folders(options.data);
  std::vector<std::string> names;
  for (const std::string& name : options.datasets) {
    if (name != "all") {
      names.push_back(name);
      continue;
    }
    const auto known = dataset_names(folders);
    if (known.empty())
      throw Error("--datasets all: no CSV file found; name a folder with --data or UASPL_DATA");
    names.insert(names.end(), known.begin(), known.end());
  }
  std::vector<Dataset> datasets;
  for (const std::string& name : names) {
    Dataset data = open_dataset(name, folders);
    const auto same = [&](const Dataset& other) { return other.name == data.name; };
    if (std::ranges::none_of(datasets, same)) datasets.push_back(std::move(data));
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
    if (!to_file()) return;
    const AtomicFile probe(output_);  // an output that cannot be written fails before the work
    journal_.emplace(output_ + ".journal");
    journal_->write(kHeader);
  }

  void add(std::size_t index, std::string line) {
    if (journal_) journal_->write(line);
    lines_[index] = std::move(line);
  }

  // What is finished, in order, to where it was wanted.
  void deliver() {
    std::string text(kHeader);
    for (const std::string& line : lines_) text += line;
    if (output_ == "-") {
      const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
      if (!written || std::fflush(stdout) != 0) throw Error("standard output: writing failed");
    }
    if (!to_file()) return;
    AtomicFile file(output_);
    file.write(text);
    file.commit();
    journal_->remove();
  }

 private:
  bool to_file() const { return !output_.empty() && output_ != "-"; }

  std::string output_;
  std::vector<std::string> lines_;
  std::optional<Journal> journal_;
};

// Collects accuracies and oddities for the table and the warnings at the end.
class Overview {
 public:
  void add(const RunResult& run) {
    accuracies_[{run.dataset, run.method}].push_back(run.metrics.accuracy);
    if (run.report.diverged) diverged_[run.method].push_back(place(run));
    if (run.report.stalled) stalled_[run.method].push_back(place(run));
  }

  void print_table(std::FILE* out, std::span<const Dataset> datasets,
                   std::span<const ChosenMethod> chosen) const {
    std::size_t name_width = std::string("data set").size();
    for (const Dataset& data : datasets) name_width = std::max(name_width, data.name.size());
    fmt::print(out, "{:<{}}", "data set", name_width);
    for (const ChosenMethod& method : chosen)
      fmt::print(out, "  {:>{}}", method.info->name, width(method));
    std::vector<std::vector<double>> means(chosen.size());
    for (const Dataset& data : datasets) {
      fmt::print(out, "\n{:<{}}", data.name, name_width);
      for (std::size_t m = 0; m < chosen.size(); ++m) {
        const auto found = accuracies_.find({data.name, std::string(chosen[m].info->name)});
        const Summary s = found == accuracies_.end() ? Summary{} : summarise(found->second);
        if (s.count > 0) means[m].push_back(s.mean);
        const std::string cell =
            s.count == 0 ? "-" : fmt::format("{:.4f} ± {:.4f}", s.mean, s.deviation);
        fmt::print(out, "  {:>{}}", cell, width(chosen[m]));
      }
    }
    fmt::print(out, "\n{:<{}}", "mean", name_width);
    for (std::size_t m = 0; m < chosen.size(); ++m) {
      const std::string cell =
          means[m].empty() ? "-" : fmt::format("{:.4f}", summarise(means[m]).mean);
      fmt::print(out, "  {:<{}}", fmt::format("{:>{}}", cell, width(chosen[m]) - 9),
                 width(chosen[m]));
    }
    fmt::print(out, "\n");
  }

  void print_warnings() const {
    const auto print = [](const auto& runs, std::string_view what) {
      for (const auto& [method, places] : runs) {
        const std::size_t shown = std::min<std::size_t>(places.size(), 5);
        fmt::print(
            stderr, "warning: {}: {} run(s) {}: {}{}\n", method, places.size(), what,
            fmt::join(places.begin(), places.begin() + static_cast<std::ptrdiff_t>(shown), ", "),
            shown < places.size() ? ", ..." : "");
      }
    };
    print(diverged_, "diverged (a loss was not finite) and are kept as they are");
    print(stalled_,
          "ended with rows that have no evidence and so no gradient; "
          "--set METHOD.evidence=softplus avoids that");
  }

 private:
  static std::string place(const RunResult& run) {
    return fmt::format("{} seed {}", run.dataset, run.seed);
  }
  static std::size_t width(const ChosenMethod& method) {
    return std::max<std::size_t>(method.info->name.size(), 15);
  }

  std::map<std::pair<std::string, std::string>, std::vector<double>> accuracies_;
  std::map<std::string, std::vector<std::string>> diverged_;
  std::map<std::string, std::vector<std::string>> stalled_;
};

int run_bench(const BenchOptions& options) {
  const std::vector<ChosenMethod> chosen = choose_methods(options.methods, options.settings);
  const std::vector<Dataset> datasets = open_datasets(options);
  if (!options.quiet)
    for (const Dataset& data : datasets)
      if (data.dropped > 0)
        fmt::print(stderr, "{}: {} row(s) with a missing value left out\n", data.name,
                   data.dropped);

  Grid grid{.datasets = datasets,
            .methods = chosen,
            .first_seed = options.first_seed,
            .runs = options.runs,
            .options = {}};
  Lines lines(options.output, grid.size());
  Overview overview;
  std::size_t finished = 0;
  {
    Progress progress(!options.quiet);
    run_grid(grid, options.jobs, interrupted, [&](const Finished& one) {
      lines.add(one.index, csv_line(one.run));
      overview.add(one.run);
      finished = one.finished;
      progress.show(finished, grid.size(), one.share_of_work, "runs");
    });
  }
  lines.deliver();
  if (!options.quiet) {
    overview.print_table(options.output == "-" ? stderr : stdout, datasets, chosen);
    overview.print_warnings();
  }
  if (finished == grid.size()) return kExitDone;
  fmt::print(stderr, "uaspl: interrupted; {} of {} runs were finished and are kept\n", finished,
             grid.size());
  return kExitInterrupted;
}

}  // namespace

void add_bench(CLI::App& app, Action& action) {
  CLI::App* bench = app.add_subcommand("bench", "Compare methods on data sets over several seeds.");
  const auto options = std::make_shared<BenchOptions>();
  bench->add_option("--methods", options->methods, "Methods, or `all` (see `uaspl list methods`)")
      ->required()
      ->delimiter(',');
  bench->add_option("--datasets", options->datasets, "Data sets by name, CSV files, or `all`")
      ->required()
      ->delimiter(',');
  bench->add_option("--runs", options->runs, "Runs of each pair; run i has seed FIRST_SEED + i")
      ->capture_default_str()
      ->check(CLI::Range(1U, 1000000U));
  bench->add_option("--first-seed", options->first_seed, "Seed of the first run")
      ->capture_default_str()
      ->check(CLI::Range(0U, 4000000000U));
  bench->add_option("--data", options->data,
                    "Folder with NAME.csv or uci/NAME.csv; searched before $UASPL_DATA");
  bench->add_option("--jobs", options->jobs, "Runs at the same time; changes no result")
      ->capture_default_str()
      ->check(CLI::Range(1U, 4096U));
  bench->add_option("--set", options->settings,
                    "METHOD.OPTION=VALUE (see `uaspl list methods --options`)");
  bench->add_option("-o,--output", options->output,
                    "CSV file with one line a run; - is standard output");
  bench->add_flag("-q,--quiet", options->quiet, "No progress, table or notes");
  bench->footer(
      "Half of the rows, drawn by the seed, are for testing. All methods of a run start from the "
      "same\n"
      "network after 20 cross-entropy steps. The table shows mean and deviation of the "
      "accuracy.\n\n"
      "Examples:\n"
      "  uaspl bench --methods direct,spl,uaspl --datasets iris --data data --runs 10\n"
      "  uaspl bench --methods all --datasets all --runs 50 -o runs.csv");
  bench->callback([options, &action] { action = [options] { return run_bench(*options); }; });
}

}  // namespace uaspl::cli
