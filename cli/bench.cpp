// Runs `uaspl bench` and `uaspl reproduce`, see bench.hpp.
#include "cli/bench.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <thread>

#include "cli/commands.hpp"
#include "cli/note.hpp"
#include "cli/options.hpp"
#include "cli/outputs.hpp"
#include "cli/overview.hpp"
#include "cli/progress.hpp"
#include "cli/ranks.hpp"
#include "cli/shard.hpp"
#include "uaspl/base/error.hpp"
#include "uaspl/data/catalogue.hpp"
#include "uaspl/report/json.hpp"
#include "uaspl/report/markdown.hpp"
#include "uaspl/study/run_study.hpp"

namespace uaspl::cli {
namespace {

std::vector<Dataset> open_datasets(const BenchOptions& options) {
  const DataFolders folders = data_folders(options.data);
  std::vector<Dataset> datasets;
  for (const std::string& name : options.study.images)
    datasets.push_back(open_image_dataset(name, folders, options.images,
                                          options.study.variants.front(), options.common.quiet));
  LoadOptions load = options.load;
  load.format = options.file.format();
  for (const std::string& name : table_names(options.study, folders)) {
    datasets.push_back(open_dataset(name, folders, load));
    check_learnable(datasets.back());
  }
  return datasets;
}

void check_outputs(const BenchOptions& options) {
  const DataFolders folders = data_folders(options.data);
  Outputs outputs;
  outputs.reads(options.plan);
  outputs.reads(options.study.start);
  for (const std::string& name : options.study.images) outputs.reads_images(name, folders);
  for (const std::string& name : table_names(options.study, folders))
    outputs.reads_dataset(name, folders);
  if (!options.database.empty()) outputs.writes_store(options.database);
  if (options.output.empty() || options.output == "-") return;
  outputs.writes(options.output);
  outputs.writes(options.output + ".journal");
}

StudyGrid make_grid(const BenchOptions& options) {
  return {options.study, open_datasets(options),
          options.shard.empty() ? Shard{} : parse_shard(options.shard)};
}

std::size_t jobs_of(const BenchOptions& options, bool ranks) {
  if (options.jobs > 0) return options.jobs;
  return ranks ? 1 : std::max(1U, std::thread::hardware_concurrency());
}

// Applies the options of the command line to the study.
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
  if (!options.start.empty()) {
    study.start = options.start;
    for (ExperimentOptions& variant : study.variants) variant.fit.pretraining = 0;
  }
  const auto start = study.start.empty() ? nullptr : load_start_weights(study.start);
  for (ExperimentOptions& variant : study.variants) {
    variant.fit.start = start;
    if (options.steps) variant.fit.training.passes = *options.steps;
    if (options.rate) variant.fit.training.step.rate = *options.rate;
    if (options.pretraining) variant.fit.pretraining = *options.pretraining;
    variant.trace = variant.trace || options.trace;
    // Several jobs keep the cores busy; studies on images have one job, unless more are asked for.
    const std::size_t cores = std::max(1U, std::thread::hardware_concurrency());
    const std::size_t usual =
        images ? std::max<std::size_t>(1, cores / std::max<std::size_t>(1, options.jobs)) : 1;
    variant.fit.resources.threads = options.common.threads > 0 ? options.common.threads : usual;
    if (images && !options.database.empty())
      variant.checkpoints = options.database + ".checkpoints";
  }
  if (images && options.jobs == 0) options.jobs = 1;
}

StudyOutcome run_with_progress(const BenchOptions& options, const StudyGrid& study,
                               Coordinator* coordinator) {
  Progress progress(!options.common.quiet);
  return run_study(study,
                   {.database = options.database,
                    .csv = options.output,
                    .safe_csv = options.safe_csv,
                    .jobs = jobs_of(options, coordinator != nullptr),
                    .on_progress =
                        [&](const WorkProgress& now) {
                          progress.show(now.done, now.total, now.share, now.unit);
                        },
                    .coordinator = coordinator,
                    .on_taken_over =
                        [&](std::size_t runs, const std::string& journal) {
                          if (!options.common.quiet)
                            note("{}: {} run(s) were finished before; going on", journal, runs);
                        }},
                   interrupted);
}

void print_outcome(const BenchOptions& options, const StudyGrid& study,
                   const StudyOutcome& outcome) {
  if (options.output == "-" && !outcome.runs.empty()) {
    Output output("-");
    output.write(outcome.csv_text);
    output.finish();
  }
  const Overview overview(outcome.runs);
  std::FILE* const out = options.output == "-" ? stderr : stdout;
  if (options.report && options.common.json) {
    fmt::print(out, "{}", json_report(tabulate(outcome.runs)));
  } else if (options.common.json) {
    print_json(out, overview);
  } else if (options.report && !options.common.quiet) {
    fmt::print(out, "{}",
               markdown_report(make_report(outcome.runs, *outcome.store), options.study.show));
  } else if (!options.common.quiet) {
    std::vector<std::string> datasets;
    for (const Dataset& data : study.datasets()) datasets.push_back(data.name);
    std::vector<std::string> methods;
    for (const ChosenMethod& method : study.methods()) methods.emplace_back(method.info->name);
    print_table(out, overview, datasets, methods);
  }
  print_warnings(overview);
}

int lead_bench(const BenchOptions& options, Coordinator* coordinator) {
  check_sections(options.study.show);
  const StudyGrid study = make_grid(options);
  if (!options.common.quiet)
    for (const Dataset& data : study.datasets())
      if (data.dropped() > 0)
        note("{}: {} row(s) with a missing value left out", data.name, data.dropped());
  if (study.grid().shard.count > 1 && options.database.empty())
    throw UsageError("a shard of the work needs --db; `uaspl merge` puts the files together");
  const StudyOutcome outcome = run_with_progress(options, study, coordinator);
  if (outcome.store && !options.common.quiet)
    note("{}: {} new run(s), {} of these runs in all", outcome.place, outcome.finished,
         outcome.runs.size());
  print_outcome(options, study, outcome);
  if (!interrupted) return kExitDone;
  note("uaspl: interrupted; {} of {} runs were finished{}", outcome.finished, outcome.missing,
       outcome.finished > 0 && !outcome.place.empty() ? " and are in " + outcome.place : "");
  return kExitInterrupted;
}

}  // namespace

int run_bench(BenchOptions options) {
  apply_options(options);
  check_outputs(options);
  const std::optional<Shard> place = place_among_ranks();
  if (!place || place->count < 2 || !options.shard.empty()) return lead_bench(options, nullptr);
  if (options.database.empty())
    throw UsageError("several ranks need --db, the results store that rank 0 writes");
  if (std::ranges::find(options.study.datasets, "-") != options.study.datasets.end())
    throw UsageError("several ranks cannot share standard input; name a file");
  return run_on_ranks(
      join_ranks(), [&](Coordinator& coordinator) { return lead_bench(options, &coordinator); },
      [&](Worker& worker) {
        const StudyGrid study = make_grid(options);
        worker.work(study.grid(), jobs_of(options, true), interrupted);
      });
}

}  // namespace uaspl::cli
