// `uaspl bench`: runs a grid of data sets x methods x seeds.
#include <fmt/format.h>

#include <memory>
#include <string>

#include "cli/bench.hpp"
#include "cli/commands.hpp"
#include "cli/options.hpp"
#include "cli/outputs.hpp"
#include "cli/ranks.hpp"
#include "cli/shard.hpp"
#include "uaspl/base/error.hpp"
#include "uaspl/data/noise.hpp"

namespace uaspl::cli {

void add_run_options(CLI::App& verb, BenchOptions& options) {
  verb.add_option("--datasets", options.datasets,
                  "Data sets by name, CSV files, `all` in the folders, `paper` (its 25), or "
                  "`honest` (the 25 without\nthe two columns that give the label away)")
      ->delimiter(',')
      ->allow_extra_args(false);
  verb.add_option(
          "--runs", options.runs,
          "Runs of each method and data set, run i with seed 2025 + i or the plan's i-th; default: "
          "1, or as the plan says")
      ->check(CLI::Range(1U, 1000000U));
  verb.add_option("--data", options.data,
                  "Folder with NAME.csv or uci/NAME.csv, or with a folder of images; searched "
                  "before $UASPL_DATA")
      ->allow_extra_args(false);
  add_image_options(verb, options.images);
  verb.add_option("--steps", options.steps,
                  "Steps of each stage, instead of 150; for images, passes over its rows")
      ->check(CLI::Range(1, 1000000));
  verb.add_option("--rate", options.rate,
                  "Learning rate of the first stage, instead of 0.1 (lenet: 0.05); those of later "
                  "ones keep their proportion")
      ->check(is_positive);
  verb.add_option(
          "--jobs", options.jobs,
          "Runs at the same time, default one a core (under mpirun, one a rank; of images, one); "
          "changes no result")
      ->check(CLI::Range(1U, 4096U));
  verb.add_option("--db", options.database,
                  "Results store to add the runs to; what it has already is not run again")
      ->check(is_file_name);
  verb.add_option(
          "--shard", options.shard,
          "I/N: only the I-th of N parts, from 1; `slurm`: as the array job says; `mpi`: by "
          "the rank; on several machines each with a --db of its own")
      ->check([](const std::string& text) { return complaint([&] { parse_shard(text); }); });
}

namespace {

int run_plan_or_options(BenchOptions options, const std::string& plan) {
  if (!plan.empty()) {
    options.study = read_study(plan);
    options.plan = plan;
    const bool needs_store = options.study.variants.front().trace || !options.study.show.empty() ||
                             options.study.variants.size() > 1;
    if (needs_store && options.database.empty())
      throw UsageError("a plan with a trace, `show` or several conditions needs --db");
    options.report = !options.study.show.empty();
  } else if (options.study.methods.empty()) {
    throw UsageError("--methods is required");
  } else if (options.datasets.empty() == options.images.names.empty()) {
    throw UsageError(options.datasets.empty() ? "--datasets or --images is required"
                                              : "--datasets and --images exclude each other");
  }
  return run_bench(std::move(options));
}

// Adds the options of a study, for runs without a plan.
void add_study_options(CLI::App& bench, Study& study) {
  bench.add_option("--methods", study.methods, "Methods, or `all` (see `uaspl list methods`)")
      ->delimiter(',')
      ->allow_extra_args(false);
  bench.add_option("--first-seed", study.first_seed, "Seed of the first run, instead of 2025")
      ->capture_default_str()
      ->check(CLI::Range(0U, 4000000000U));
  bench
      .add_option("--set", study.settings,
                  "METHOD.OPTION=VALUE (see `uaspl list methods --options`)")
      ->allow_extra_args(false);
  ExperimentOptions& experiment = study.variants.emplace_back();
  bench
      .add_option_function<std::string>(
          "--noise", [&](const std::string& text) { experiment.rows.noise = parse_noise(text); },
          "KIND:RATIO, wrong labels in the training half; uniform, asymmetric, flip1 or flip2")
      ->check([](const std::string& text) { return complaint([&] { parse_noise(text); }); });
  bench.add_flag("--clean-pretraining", experiment.rows.clean_pretraining,
                 "The noise comes after the pre-training");
}

}  // namespace

void add_bench(CLI::App& app, Action& action) {
  CLI::App* bench = app.add_subcommand("bench", "Compare methods on data sets over several seeds.");
  const auto options = std::make_shared<BenchOptions>();
  const auto plan = std::make_shared<std::string>();
  add_study_options(*bench, options->study);
  bench
      ->add_option("--pretraining", options->pretraining,
                   "Cross-entropy passes before the stages; default: 20, for images the profile's")
      ->check(CLI::Range(0, 1000000));
  bench
      ->add_option(
          "--start", options->start,
          "Begin all runs with these weights (safetensors by PyTorch's names, or a model): "
          "no pre-training unless --pretraining is given")
      ->check(is_file_name);
  CLI::Option* plan_file =
      bench->add_option("--plan", *plan, "JSON file that says what to run, see docs/formats.md")
          ->check(is_file_name);
  for (const char* other : {"--methods", "--first-seed", "--set", "--pretraining", "--start",
                            "--noise", "--clean-pretraining"})
    plan_file->excludes(bench->get_option(other));
  add_run_options(*bench, *options);
  add_load_options(*bench, options->load);
  add_file_options(*bench, options->file);
  forbid_table_options(*bench);
  bench
      ->add_option("-o,--output", options->output,
                   "CSV file with one line a run; - is standard output. After a kill, the same "
                   "command goes on")
      ->check(is_file_name)
      ->excludes("--db");
  add_safe_csv(*bench, options->safe_csv);
  bench
      ->add_flag("--trace", options->trace,
                 "Also store what every training row was like at every stage")
      ->needs("--db");
  add_common(*bench, options->common);
  bench->footer(
      "Half of a table's rows, drawn by the seed, are for testing; images have their own. All "
      "methods of a run\n"
      "start from the same network after the pre-training. The table shows mean and deviation of "
      "the accuracy.\n\n"
      "Examples:\n"
      "  uaspl bench --methods direct,spl,uaspl --datasets iris --data data --runs 10\n"
      "  uaspl bench --methods all --datasets paper --runs 50 -o runs.csv\n"
      "  uaspl bench --methods all --datasets paper --runs 50 --db results.db   (again: goes on)\n"
      "  mpirun -n 8 uaspl bench --methods all --datasets paper --runs 50 --db results.db\n"
      "  uaspl bench --methods spl,uaspl --datasets iris --noise uniform:0.4 --db results.db\n"
      "  uaspl bench --methods spl,uaspl --datasets iris --start weights.safetensors --db "
      "results.db\n"
      "  uaspl bench --plan own.json --db results.db\n"
      "  uaspl bench --images mnist --network lenet --profile quick --methods spl,uaspl_hybrid "
      "--db images.db");
  bench->callback([options, plan, &action] {
    action = [options, plan] { return exit_code_of_rank(run_plan_or_options(*options, *plan)); };
  });
}

}  // namespace uaspl::cli
