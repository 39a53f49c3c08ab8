// `uaspl merge`: puts results stores together.
#include <fmt/format.h>

#include "cli/commands.hpp"
#include "cli/options.hpp"
#include "cli/outputs.hpp"
#include "uaspl/base/text.hpp"
#include "uaspl/study/store.hpp"

namespace uaspl::cli {
namespace {

struct MergeOptions {
  std::string target;
  std::vector<std::string> sources;
  CommonOptions common;
};

int run_merge(const MergeOptions& options) {
  Outputs outputs;
  for (const std::string& source : options.sources) outputs.reads_store(source);
  outputs.writes_store(options.target);
  for (const std::string& source : options.sources) Store(source, Store::Open::kRead);  // all good?
  Store target(options.target, Store::Open::kCreate);
  for (const std::string& source : options.sources) {
    const Merged merged = target.merge(source);
    if (!options.common.quiet)
      fmt::print("{}: {} new run(s)\n", printable(source, kAllCharacters), merged.taken);
    warn_of_other_versions(source, merged.other_versions);
  }
  return kExitDone;
}

}  // namespace

void add_merge(CLI::App& app, Action& action) {
  CLI::App* merge = app.add_subcommand("merge", "Put results stores together.");
  const auto options = std::make_shared<MergeOptions>();
  merge->add_option("target", options->target, "The store that takes the runs; made where missing")
      ->required();
  merge->add_option("sources", options->sources, "Stores whose runs are taken over")->required();
  add_common(*merge, options->common);
  merge->footer(
      "Runs that the target has already stay as they are.\n\n"
      "Examples:\n  uaspl merge all.db part1.db part2.db");
  merge->callback([options, &action] { action = [options] { return run_merge(*options); }; });
}

}  // namespace uaspl::cli
