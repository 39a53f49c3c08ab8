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
#include "uaspl/exchange/splits.hpp"
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
  outputs.writes_into(options.export_splits, ".csv");
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

// Runs other methods than the study's, and drops its settings of methods that are not run.
void replace_methods(Study& study, const std::vector<std::string>& methods) {
  study.methods = methods;
  std::erase_if(study.settings, [&](const std::string& setting) {
    return std::ranges::none_of(methods, [&](const std::string& name) {
      return name == "all" || setting.starts_with(name + ".");
    });
  });
}

// What only a results store can hold needs one.
void check_store(const BenchOptions& options) {
  const Study& study = options.study;
  const bool needed =
      study.variants.front().trace || !study.show.empty() || study.variants.size() > 1;
  if (needed && options.database.empty())
    throw UsageError("a trace, a plan's `show` or several conditions: this needs --db");
}

// Loads the first weights that a plan names, unless the command line names others.
void choose_start(const std::string& own, Study& study) {
  if (!own.empty()) study.start = own;
  if (!own.empty() || study.start.empty()) return;
  const auto start = load_start_weights(study.start);
  for (ExperimentOptions& variant : study.variants) variant.fit.start = start;
}

// Applies the options of the command line to the study.
void apply_options(BenchOptions& options) {
  Study& study = options.study;
  if (!options.datasets.empty()) study.datasets = options.datasets;
  if (!options.methods.empty()) replace_methods(study, options.methods);
  study.settings.insert(study.settings.end(), options.settings.begin(), options.settings.end());
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
  choose_start(options.conditions.start, study);
  study.variants = apply_conditions(options.conditions, std::move(study.variants));
  for (ExperimentOptions& variant : study.variants) {
    variant.trace = variant.trace || options.trace;
    variant.keep_predictions = options.keep_predictions;
    variant.curves = options.curves;
    // Several jobs keep the cores busy; studies on images have one job, unless more are asked for.
    const std::size_t cores = std::max(1U, std::thread::hardware_concurrency());
    const std::size_t usual =
        images ? std::max<std::size_t>(1, cores / std::max<std::size_t>(1, options.jobs)) : 1;
    variant.fit.resources.threads = options.common.threads > 0 ? options.common.threads : usual;
    if (images && !options.database.empty())
      variant.checkpoints = options.database + ".checkpoints";
  }
  if (images && options.jobs == 0) options.jobs = 1;
  options.report = options.report || !study.show.empty() || study.variants.size() > 1;
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

// Returns the sections of the report to print: how results depend on several conditions, if the
// study does not say.
std::vector<std::string> sections(const Study& study, const Report& report) {
  if (!study.show.empty() || study.variants.size() < 2) return study.show;
  return {report.sweeps.empty() ? "accuracy" : "conditions"};
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
    const Report report = make_report(outcome.runs, *outcome.store);
    fmt::print(out, "{}", markdown_report(report, sections(options.study, report)));
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
  if (!options.common.quiet) note_of_rows_left_out(options.study.variants);
  const StudyGrid study = make_grid(options);
  if (!options.common.quiet)
    for (const Dataset& data : study.datasets()) {
      note_reading(data);
      if (data.dropped() > 0)
        note("{}: {} row(s) with a missing value left out", data.name, data.dropped());
    }
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
  check_store(options);
  check_outputs(options);
  if (!options.export_splits.empty()) {
    const std::size_t files =
        write_splits(options.export_splits, make_grid(options).grid(), options.safe_csv);
    if (!options.common.quiet) note("{}: {} file(s)", options.export_splits, files);
    return kExitDone;
  }
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
