// `uaspl report`: tables from a results store.
#include <fmt/format.h>

#include "cli/commands.hpp"
#include "cli/options.hpp"
#include "uaspl/base/error.hpp"
#include "uaspl/base/file.hpp"
#include "uaspl/report/csv.hpp"
#include "uaspl/report/json.hpp"
#include "uaspl/report/latex.hpp"
#include "uaspl/report/markdown.hpp"
#include "uaspl/run/store.hpp"

namespace uaspl::cli {
namespace {

struct ReportOptions {
  std::string database;
  std::string csv;
  std::string latex;
  std::string markdown;
  std::vector<std::string> methods;
  std::vector<std::string> datasets;
  CommonOptions common;
};

bool chosen(const std::vector<std::string>& names, const std::string& name) {
  return names.empty() || std::ranges::find(names, name) != names.end();
}

int run_report(const ReportOptions& options) {
  Store store(options.database, Store::Open::kRead);
  std::vector<RunRecord> runs = store.runs();
  std::erase_if(runs, [&](const RunRecord& run) {
    return !chosen(options.methods, run.key.method) || !chosen(options.datasets, run.key.dataset);
  });
  if (runs.empty()) throw Error(fmt::format("{}: no run to report", options.database));
  const Report report = make_report(runs, store);
  if (!options.csv.empty()) write_csv_report(options.csv, report);
  if (!options.latex.empty()) write_latex_report(options.latex, report);
  if (!options.markdown.empty()) {
    Output output(options.markdown);
    output.write(markdown_report(report));
    output.finish();
  }
  if (options.common.json) {
    fmt::print("{}", json_report(report.tables));
  } else if (options.csv.empty() && options.latex.empty() && options.markdown.empty()) {
    fmt::print("{}", markdown_report(report));
  }
  return kExitDone;
}

}  // namespace

void add_report(CLI::App& app, Action& action) {
  CLI::App* report = app.add_subcommand("report", "Tables from a results store.");
  const auto options = std::make_shared<ReportOptions>();
  report->add_option("database", options->database, "The store that `uaspl bench --db` wrote")
      ->required();
  report->add_option("--csv", options->csv,
                     "Folder for runs.csv, stages.csv, summary.csv, ranks.csv and wilcoxon.csv");
  report->add_option("--latex", options->latex,
                     "Folder for report.tex and the tables and figures that it is made of");
  report->add_option("--markdown", options->markdown,
                     "Markdown file to write; - is standard output");
  report->add_option("--methods", options->methods, "Only these methods")
      ->delimiter(',')
      ->allow_extra_args(false);
  report->add_option("--datasets", options->datasets, "Only these data sets")
      ->delimiter(',')
      ->allow_extra_args(false);
  add_common(*report, options->common);
  report->footer(
      "Without --csv, --latex and --markdown, Markdown goes to standard output; with --json, one "
      "object a\ndata set and method.\n\n"
      "Examples:\n"
      "  uaspl report results.db\n"
      "  uaspl report results.db --csv tables --methods spl,uaspl\n"
      "  uaspl report results.db --latex paper && cd paper && pdflatex report");
  report->callback([options, &action] { action = [options] { return run_report(*options); }; });
}

}  // namespace uaspl::cli
