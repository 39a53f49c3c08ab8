// `uaspl list`: lists what can be chosen by name.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>
#include <string>

#include "cli/commands.hpp"
#include "cli/options.hpp"
#include "uaspl/base/text.hpp"
#include "uaspl/io/json_text.hpp"
#include "uaspl/loss/loss.hpp"
#include "uaspl/method/registry.hpp"

namespace uaspl::cli {
namespace {

std::string describe(std::string_view method, const Option& option) {
  const std::string initial =
      option.choices.empty()
          ? fmt::format("{}", option.initial)
          : std::string(option.choices[static_cast<std::size_t>(option.initial)]);
  const std::string range =
      option.choices.empty()
          ? fmt::format("{}{}..{}", option.whole ? "whole, " : "", option.low, option.high)
          : fmt::format("{}", fmt::join(option.choices, ", "));
  return fmt::format("    --set {}.{}={}  {} ({})", method, option.name, initial, option.summary,
                     range);
}

struct ListOptions {
  bool with_options = false;
  CommonOptions common;
};

void print_json(std::string_view name, std::string_view summary) {
  fmt::print("{}\n", json_text(nlohmann::ordered_json{{"name", name}, {"summary", summary}}));
}

// Returns what a method needs, one word each; most need nothing special.
std::string needs_of(const MethodInfo& method) {
  const Needs needs = method.needs();
  std::vector<std::string> words = ability_names(needs.network);
  if (needs.meta_fraction > 0.0)
    words.push_back(fmt::format("{} of the rows", needs.meta_fraction));
  return words.empty() ? "-" : fmt::format("{}", fmt::join(words, ", "));
}

nlohmann::ordered_json to_json(const MethodInfo& method) {
  nlohmann::ordered_json line = {{"name", method.name},
                                 {"summary", method.summary},
                                 {"needs", needs_of(method)},
                                 {"reference", method.reference},
                                 {"options", nlohmann::ordered_json::object()}};
  const Settings defaults(method.options);
  for (const Option& option : method.options)
    line["options"][std::string(option.name)] = defaults.text(option.name);
  return line;
}

int list_methods(const ListOptions& options) {
  if (!options.common.json && !options.common.quiet)
    fmt::print("{:<21} {:<61} {:<30} {}\n", "method", "what it does", "needs", "reference");
  for (const MethodInfo& method : methods()) {
    if (options.common.json) {
      fmt::print("{}\n", json_text(to_json(method)));
      continue;
    }
    fmt::print("{:<21} {:<61} {:<30} {}\n", method.name, method.summary, needs_of(method),
               method.reference);
    if (!options.with_options) continue;
    for (const Option& option : method.options) fmt::print("{}\n", describe(method.name, option));
  }
  return kExitDone;
}

int list_losses(const ListOptions& options) {
  for (const LossInfo& loss : losses()) {
    if (options.common.json) {
      print_json(loss.name, loss.summary);
    } else {
      fmt::print("{:<18} {}\n", loss.name, loss.summary);
    }
  }
  return kExitDone;
}

int list_datasets(const ListOptions& options) {
  for (const auto& [name, file] : dataset_files(data_folders({}))) {
    if (options.common.json) {
      fmt::print("{}\n",
                 json_text(nlohmann::ordered_json{{"name", name}, {"file", file.string()}}));
    } else {
      fmt::print("{}\n", printable(name, kAllCharacters));
    }
  }
  return kExitDone;
}

}  // namespace

void add_list(CLI::App& app, Action& action) {
  CLI::App* list = app.add_subcommand("list", "List methods, losses or data sets.");
  list->require_subcommand(1);
  const auto options = std::make_shared<ListOptions>();
  const auto add = [&](const char* name, const char* what, int (*run)(const ListOptions&)) {
    CLI::App* verb = list->add_subcommand(name, what);
    add_common(*verb, options->common);
    verb->callback([options, &action, run] { action = [options, run] { return run(*options); }; });
    return verb;
  };
  CLI::App* method = add("methods", "Name, what it does, needs, reference.", list_methods);
  method->add_flag("--options", options->with_options,
                   "Also the options of each method, with their defaults");
  add("losses", "Name and what it is.", list_losses);
  add("datasets", "Names of the data sets that are here.", list_datasets);
  list->footer("Examples:\n  uaspl list methods\n  uaspl list methods --options");
}

}  // namespace uaspl::cli
