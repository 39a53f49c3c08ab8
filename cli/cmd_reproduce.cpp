// `uaspl reproduce`: runs the experiments of the paper by name.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/bench.hpp"
#include "cli/commands.hpp"
#include "cli/ranks.hpp"
#include "uaspl/base/error.hpp"
#include "uaspl/study/study.hpp"

namespace uaspl::cli {
namespace {

int run_reproduce(BenchOptions options, const std::string& name, bool show_plan) {
  if (name == "all" && show_plan)
    throw UsageError("`all` has no plan of its own; --show-plan needs the name of a study");
  if (name != "all") options.study = find_study(name);
  if (show_plan) {
    fmt::print("{}", plan_text(name));
    return kExitDone;
  }
  if (options.database.empty()) throw UsageError("--db is required");
  options.report = true;
  if (name != "all") return run_bench(std::move(options));
  for (const Study& study : studies()) {
    if (!study.images.empty()) continue;
    options.study = study;
    if (const int code = run_bench(options); code != kExitDone) return code;
  }
  return kExitDone;
}

std::string list_of_studies() {
  std::string text = "Studies:\n";
  for (const Study& study : studies())
    text +=
        fmt::format("  {:<15} {} ({} methods, {} condition{}, {} run{})\n", study.name,
                    study.summary, study.methods.size(), study.variants.size(),
                    study.variants.size() == 1 ? "" : "s", study.runs, study.runs == 1 ? "" : "s");
  return text +
         "  all             all of these but that of images, one after the other; runs that they "
         "share once\n";
}

}  // namespace

void add_reproduce(CLI::App& app, Action& action) {
  CLI::App* reproduce = app.add_subcommand("reproduce", "Run an experiment of the paper by name.");
  const auto options = std::make_shared<BenchOptions>();
  const auto name = std::make_shared<std::string>();
  const auto show_plan = std::make_shared<bool>(false);
  reproduce->add_option("study", *name, "Which one, see below")->required();
  reproduce->add_flag("--show-plan", *show_plan,
                      "Only print its plan, to change it and run it with `bench --plan`");
  add_run_options(*reproduce, *options);
  add_common(*reproduce, options->common);
  reproduce->footer(
      list_of_studies() +
      "\nPrints the study's part of the report in Markdown; `uaspl report DB --html "
      "FILE` makes a page\nwith all tables and figures of a store.\n\n"
      "Examples:\n"
      "  uaspl reproduce table-main --db results.db\n"
      "  uaspl reproduce all --db results.db --runs 2 --datasets wine,heart\n"
      "  uaspl reproduce table-images --profile quick --network lenet --db images.db\n"
      "  uaspl reproduce table-main --methods spl,uaspl --carry-momentum --stop-below 0 --db "
      "results.db\n"
      "  uaspl reproduce noise --show-plan > own.json");
  reproduce->callback([=, &action] {
    action = [=] { return exit_code_of_rank(run_reproduce(*options, *name, *show_plan)); };
  });
}

}  // namespace uaspl::cli
