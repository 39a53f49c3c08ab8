// `uaspl list`: what there is, by name.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>

#include "cli/commands.hpp"
#include "cli/options.hpp"
#include "uaspl/loss/loss.hpp"
#include "uaspl/method/registry.hpp"

namespace uaspl::cli {
namespace {

std::string describe(std::string_view method, const Option& option) {
  const std::string initial =
      option.choices.empty()
          ? fmt::format("{}", option.initial)
          : std::string(option.choices[static_cast<std::size_t>(option.initial)]);
  const std::string range = option.choices.empty()
                                ? fmt::format("{}..{}", option.low, option.high)
                                : fmt::format("{}", fmt::join(option.choices, ", "));
  return fmt::format("    --set {}.{}={}  {} ({})", method, option.name, initial, option.summary,
                     range);
}

void list_methods(bool with_options) {
  for (const MethodInfo& method : methods()) {
    fmt::print("{:<22} {:<62} {}\n", method.name, method.summary, method.reference);
    if (!with_options) continue;
    for (const Option& option : method.options) fmt::print("{}\n", describe(method.name, option));
  }
}

void list_losses() {
  for (const LossInfo& loss : losses()) fmt::print("{:<18} {}\n", loss.name, loss.summary);
}

void list_datasets() {
  for (const std::string& name : dataset_names(data_folders({}))) fmt::print("{}\n", name);
}

}  // namespace

void add_list(CLI::App& app, Action& action) {
  CLI::App* list = app.add_subcommand("list", "List methods, losses or data sets.");
  list->require_subcommand(1);
  const auto options = std::make_shared<bool>(false);
  const auto add = [&](const char* name, const char* what, auto run) {
    CLI::App* verb = list->add_subcommand(name, what);
    verb->callback([&action, run] {
      action = [run] {
        run();
        return kExitDone;
      };
    });
    return verb;
  };
  CLI::App* method =
      add("methods", "Name, what it does, reference.", [options] { list_methods(*options); });
  method->add_flag("--options", *options, "Also the options of each method, with their defaults");
  add("losses", "Name and what it is.", list_losses);
  add("datasets", "Names of the data sets that are here.", list_datasets);
  list->footer("Examples:\n  uaspl list methods\n  uaspl list methods --options");
}

}  // namespace uaspl::cli
