// `uaspl reproduce`: the experiments of the paper by name.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/bench.hpp"
#include "cli/commands.hpp"
#include "uaspl/base/error.hpp"
#include "uaspl/run/studies.hpp"

namespace uaspl::cli {
namespace {

int run_reproduce(BenchOptions options, const std::string& name) {
  const Study& study = find_study(name);
  options.methods = study.methods;
  options.variants = study.variants;
  for (ExperimentOptions& variant : options.variants)
    variant.training.passes = options.experiment.training.passes;
  options.report = true;
  return run_bench(options);
}

std::string list_of_studies() {
  std::string text = "Studies:\n";
  for (const Study& study : studies())
    text += fmt::format("  {:<16} {} ({} methods, {} condition(s))\n", study.name, study.summary,
                        study.methods.size(), study.variants.size());
  return text;
}

}  // namespace

void add_reproduce(CLI::App& app, Action& action) {
  CLI::App* reproduce = app.add_subcommand("reproduce", "Run an experiment of the paper by name.");
  const auto options = std::make_shared<BenchOptions>();
  const auto name = std::make_shared<std::string>();
  options->runs = 50;
  options->datasets = {"paper"};
  reproduce->add_option("study", *name, "Which one, see below")->required();
  reproduce
      ->add_option("--db", options->database,
                   "Results store to add the runs to; what it has already is not run again")
      ->required()
      ->check([](const std::string& path) { return path.empty() ? "expected a file name" : ""; });
  reproduce->add_option("--runs", options->runs, "Runs of each method, data set and condition")
      ->capture_default_str()
      ->check(CLI::Range(1U, 1000000U));
  reproduce
      ->add_option("--datasets", options->datasets,
                   "Instead of the paper's 25: names, CSV files, or `all`")
      ->delimiter(',')
      ->allow_extra_args(false);
  reproduce
      ->add_option("--data", options->data,
                   "Folder with NAME.csv or uci/NAME.csv; searched before $UASPL_DATA")
      ->allow_extra_args(false);
  reproduce->add_option("--steps", options->experiment.training.passes, "Steps of each stage")
      ->capture_default_str()
      ->check(CLI::Range(1, 1000000));
  reproduce->add_option("--jobs", options->jobs, "Runs at the same time; changes no result")
      ->capture_default_str()
      ->check(CLI::Range(1U, 4096U));
  reproduce->add_option("--shard", options->shard,
                        "I/N: only the I-th of N parts, from 1; `slurm`: as the array job says");
  add_common(*reproduce, options->common);
  reproduce->footer(list_of_studies() +
                    "\nPrints a report in Markdown; `uaspl report DB --csv DIR` makes files.\n\n"
                    "Examples:\n"
                    "  uaspl reproduce table-main --db results.db\n"
                    "  uaspl reproduce noise --db results.db --runs 5 --datasets wine,heart");
  reproduce->callback([options, name, &action] {
    action = [options, name] { return run_reproduce(*options, *name); };
  });
}

}  // namespace uaspl::cli
