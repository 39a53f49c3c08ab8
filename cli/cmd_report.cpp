// `uaspl report`: makes reports from a results store.
#include <fmt/format.h>

#include <map>
#include <optional>

#include "cli/commands.hpp"
#include "cli/options.hpp"
#include "cli/outputs.hpp"
#include "uaspl/base/error.hpp"
#include "uaspl/report/csv.hpp"
#include "uaspl/report/html.hpp"
#include "uaspl/report/json.hpp"
#include "uaspl/report/latex.hpp"
#include "uaspl/report/markdown.hpp"
#include "uaspl/study/run_filter.hpp"
#include "uaspl/study/store.hpp"

namespace uaspl::cli {
namespace {

struct ReportOptions {
  std::string database;
  std::string csv;
  bool safe_csv = false;
  std::string latex;
  std::string markdown;
  std::string html;
  std::vector<std::string> methods;
  std::vector<std::string> datasets;
  std::string study;
  std::vector<std::string> show;
  RankRule rule;
  CommonOptions common;
};

// Returns one of the paper's studies, or that of a plan file.
Study asked_study(const std::string& name) {
  return name.ends_with(".json") ? read_study(name) : find_study(name);
}

RunFilter make_filter(const ReportOptions& options) {
  std::optional<Study> study;
  if (!options.study.empty()) study = asked_study(options.study);
  return {options.methods, options.datasets, std::move(study)};
}

std::vector<std::string> sections(const ReportOptions& options) {
  if (!options.show.empty() || options.study.empty()) return options.show;
  return asked_study(options.study).show;
}

void check_outputs(const ReportOptions& options) {
  Outputs outputs;
  outputs.reads_store(options.database);
  if (options.study.ends_with(".json")) outputs.reads(options.study);
  outputs.writes(options.html);
  outputs.writes(options.markdown);
  outputs.writes_into(options.csv, ".csv");
  outputs.writes_into(options.latex, ".tex");
}

Report make_named_report(const ReportOptions& options, std::span<const RunRecord> runs,
                         Store& store) {
  try {
    return make_report(runs, store, options.rule);
  } catch (const Error& error) {
    throw Error(fmt::format("{}: {}", options.database, error.what()));
  }
}

int run_report(const ReportOptions& options) {
  check_outputs(options);
  RunFilter filter = make_filter(options);
  const std::vector<std::string> show = sections(options);
  check_sections(show);
  Store store(options.database, Store::Open::kRead);
  std::vector<RunRecord> runs = store.runs();
  std::erase_if(runs, [&](const RunRecord& run) { return !filter.takes(run.key); });
  warn_of_other_versions(options.database, store.other_versions());
  if (runs.empty()) throw Error(fmt::format("{}: no run to report", options.database));
  const Report report = make_named_report(options, runs, store);
  if (!options.csv.empty()) write_csv_report(options.csv, report, store, options.safe_csv);
  if (!options.latex.empty()) write_latex_report(options.latex, report);
  const auto write = [](const std::string& path, const std::string& text) {
    Output output(path);
    output.write(text);
    output.finish();
  };
  if (!options.markdown.empty()) write(options.markdown, markdown_report(report, show));
  if (!options.html.empty())
    write(options.html,
          html_report(report, std::filesystem::path(options.database).filename().string()));
  if (options.common.json) {
    fmt::print("{}", json_report(report.tables));
  } else if (options.csv.empty() && options.latex.empty() && options.markdown.empty() &&
             options.html.empty()) {
    fmt::print("{}", markdown_report(report, show));
  }
  return kExitDone;
}

}  // namespace

void add_report(CLI::App& app, Action& action) {
  CLI::App* report = app.add_subcommand("report", "Tables and figures from a results store.");
  const auto options = std::make_shared<ReportOptions>();
  report->add_option("database", options->database, "The store that `uaspl bench --db` wrote")
      ->required();
  report
      ->add_option("--csv", options->csv,
                   "Folder for CSV files: runs, stages, summary, ranks, tests, figures, and the "
                   "predictions, traces and "
                   "curves that were kept")
      ->check(is_file_name);
  add_safe_csv(*report, options->safe_csv);
  report
      ->add_option("--latex", options->latex,
                   "Folder for report.tex and the tables and figures that it is made of")
      ->check(is_file_name);
  report
      ->add_option("--markdown", options->markdown, "Markdown file to write; - is standard output")
      ->check(is_file_name);
  report
      ->add_option("--html", options->html,
                   "One page with all tables and figures; needs nothing from the network")
      ->check(is_file_name);
  report->add_option("--methods", options->methods, "Only these methods")
      ->delimiter(',')
      ->allow_extra_args(false);
  report->add_option("--datasets", options->datasets, "Only these data sets")
      ->delimiter(',')
      ->allow_extra_args(false);
  report->add_option(
      "--study", options->study,
      "Only what `uaspl reproduce` ran for it (or `bench` for a plan, by its .json file), and its "
      "sections of the Markdown");
  report
      ->add_option(
          "--show", options->show,
          "Sections of the Markdown: standings, deviations, groups, calibration, ablation, "
          "accuracy, metrics,\nvariation, variation-quarter, ordering, printed-main (-linear, "
          "-mixture, -ablation, -images), wilcoxon,\nconditions, selection")
      ->delimiter(',')
      ->allow_extra_args(false);
  const std::map<std::string, Ties> ties = {
      {"average", Ties::kAverage}, {"minimum", Ties::kMinimum}, {"dense", Ties::kDense}};
  report
      ->add_option("--ties", options->rule.ties,
                   "Ranks of equal means: their average (default), the best of them, or one rank "
                   "for all and the\nnext one after it")
      ->transform(CLI::CheckedTransformer(ties).description("average|minimum|dense"));
  report
      ->add_option("--decimals", options->rule.decimals,
                   "Round means to so many decimals before they are ranked")
      ->check(CLI::Range(0, 12));
  add_common(*report, options->common);
  report->footer(
      "Without any of the files, Markdown goes to standard output; with --json, one object a data "
      "set and\nmethod.\n\n"
      "Examples:\n"
      "  uaspl report results.db\n"
      "  uaspl report results.db --html report.html\n"
      "  uaspl report results.db --latex paper && cd paper && pdflatex report.tex\n"
      "  uaspl report results.db --csv tables --methods spl,uaspl\n"
      "  uaspl report results.db --study table-main --markdown main.md");
  report->callback([options, &action] { action = [options] { return run_report(*options); }; });
}

}  // namespace uaspl::cli
