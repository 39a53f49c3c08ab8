// The whole command line: its verbs in the order of `uaspl --help`.
#include "cli/commands.hpp"
#include "uaspl/base/version.hpp"

namespace uaspl::cli {

std::atomic<bool> interrupted{false};

void add_all(CLI::App& app, Action& action) {
  app.name("uaspl");
  app.description(
      "Uncertainty-aware self-paced learning: classifiers that say when they do not know.");
  app.set_version_flag("--version", version());
  app.require_subcommand(1);
  app.get_formatter()->column_width(34);
  app.footer(
      "Exit codes: 0 done, 1 failed, 2 bad usage, 130 interrupted.\n"
      "Environment: UASPL_DATA, a folder of data sets; UASPL_TARGET, an instruction set (AVX2, "
      "say:\n"
      "the results of another may differ in the last bit).\n"
      "`uaspl VERB --help` explains a verb and gives examples.");
  add_train(app, action);
  add_predict(app, action);
  add_eval(app, action);
  add_inspect(app, action);
  add_data(app, action);
  add_bench(app, action);
  add_reproduce(app, action);
  add_report(app, action);
  add_import(app, action);
  add_merge(app, action);
  add_list(app, action);
}

}  // namespace uaspl::cli
