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
#include "uaspl/report/markdown.hpp"

namespace uaspl::cli {

void add_run_options(CLI::App& verb, BenchOptions& options) {
  verb.add_option(
          "--methods", options.methods,
          "Methods, or `all` (see `uaspl list methods`); instead of those of a plan or study")
      ->delimiter(',')
      ->allow_extra_args(false);
  verb.add_option("--set", options.settings,
                  "METHOD.OPTION=VALUE (see `uaspl list methods --options`)")
      ->allow_extra_args(false);
  verb.add_option("--datasets", options.datasets,
                  "Data sets by name, files of tables, `all` in the folders, `paper` (its 25), or "
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
  add_training_options(verb, options.conditions, true);
  add_noise_options(verb, options.conditions, true);
  add_class_weight(verb, options.conditions.class_weights);
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
    try {
      check_sections(options.study.show);
    } catch (const Error& error) {
      throw Error(fmt::format("{}: show: {}", plan, error.what()));
    }
  } else if (options.methods.empty() && options.export_splits.empty()) {
    throw UsageError("--methods is required");
  } else if (options.datasets.empty() == options.images.names.empty()) {
    throw UsageError(options.datasets.empty() ? "--datasets or --images is required"
                                              : "--datasets and --images exclude each other");
  }
  return run_bench(std::move(options));
}

// Adds the options of a study, for runs without a plan.
void add_study_options(CLI::App& bench, Study& study) {
  study.variants.emplace_back();
  bench.add_option("--first-seed", study.first_seed, "Seed of the first run, instead of 2025")
      ->capture_default_str()
      ->check(CLI::Range(0U, 4000000000U));
}

}  // namespace

void add_bench(CLI::App& app, Action& action) {
  CLI::App* bench = app.add_subcommand("bench", "Compare methods on data sets over several seeds.");
  const auto options = std::make_shared<BenchOptions>();
  const auto plan = std::make_shared<std::string>();
  add_study_options(*bench, options->study);
  bench->add_option("--plan", *plan, "JSON file that says what to run, see docs/formats.md")
      ->check(is_file_name)
      ->excludes("--first-seed");
  add_run_options(*bench, *options);
  add_start_option(*bench, options->conditions);
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
  bench
      ->add_flag("--keep-predictions", options->keep_predictions,
                 "Also store what is predicted of every test row; `report --csv` writes it out")
      ->needs("--db");
  bench
      ->add_flag("--curves", options->curves,
                 "Also store loss and accuracy after every pass over the rows, which takes more "
                 "time")
      ->needs("--db");
  bench
      ->add_option("--export-splits", options->export_splits,
                   "Only write to this folder, for each data set, which rows train and which test")
      ->check(is_file_name)
      ->excludes("--output", "--db");
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
      "  uaspl bench --methods spl,uaspl --datasets iris --noise none,uniform:0.2,uniform:0.4 --db "
      "results.db\n"
      "  uaspl bench --methods spl --datasets iris --stages 3,6 --share-step 0.375 --stop-below 0 "
      "--db results.db\n"
      "  uaspl bench --methods spl,uaspl --datasets iris --start weights.safetensors --db "
      "results.db\n"
      "  uaspl bench --methods spl,uaspl --datasets ilpd --class-weight balanced --db results.db\n"
      "  uaspl bench --methods spl,uaspl --datasets survey.csv --weight people --runs 10\n"
      "  uaspl bench --plan own.json --db results.db\n"
      "  uaspl bench --datasets iris --runs 10 --noise uniform:0.4 --export-splits splits\n"
      "  uaspl bench --methods spl --datasets iris --keep-predictions --curves --db results.db\n"
      "  uaspl bench --images mnist --network lenet --profile quick --methods spl,uaspl_hybrid "
      "--db images.db");
  bench->callback([options, plan, &action] {
    action = [options, plan] { return exit_code_of_rank(run_plan_or_options(*options, *plan)); };
  });
}

}  // namespace uaspl::cli
