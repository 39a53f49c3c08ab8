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
      ->add_option("--datasets", options->datasets,
                   "Instead of the paper's 25: names, CSV files, or `all`")
      ->delimiter(',')
      ->allow_extra_args(false);
  add_run_options(*reproduce, *options);
  reproduce->get_option("--db")->required();
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
