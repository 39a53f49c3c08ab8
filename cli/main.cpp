// The tool `uaspl`: dispatches to its verbs and turns errors into messages and exit codes.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdio>
#include <iostream>
#include <new>
#include <sstream>
#include <string>
#include <vector>

#include "cli/commands.hpp"
#include "cli/note.hpp"
#include "cli/signals.hpp"
#include "uaspl/base/error.hpp"
#include "uaspl/base/instruction_set.hpp"
#include "uaspl/base/text.hpp"

namespace uaspl::cli {

namespace {

int report(const char* message, int code) {
  note("uaspl: {}", message);
  return code;
}

// Returns the verb that the words of the command line led to.
const CLI::App& last_verb(const CLI::App& app) {
  const auto verbs = app.get_subcommands();
  return verbs.empty() ? app : last_verb(*verbs.front());
}

// Returns the words that could have stood in the place of an unknown one.
std::string candidates(const CLI::App& verb) {
  std::vector<std::string> known;
  for (const CLI::App* below : verb.get_subcommands([](const CLI::App*) { return true; }))
    known.push_back(below->get_name());
  for (const CLI::Option* option : verb.get_options())
    if (!option->get_positional()) known.push_back(option->get_name());
  return fmt::format("{}", fmt::join(known, ", "));
}

int run(int argc, char** argv) {
  CLI::App app;
  Action action;
  add_all(app, action);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ExtrasError& error) {
    note("uaspl: {}; known: {}", error.what(), candidates(last_verb(app)));
    return kExitUsage;
  } catch (const CLI::RequiredError& error) {
    note("uaspl: {}; known: {}", error.what(), candidates(last_verb(app)));
    return kExitUsage;
  } catch (const CLI::ParseError& error) {
    std::ostringstream complaint;
    const int code = app.exit(error, std::cout, complaint);
    fmt::print(stderr, "{}", printable_lines(complaint.str()));
    return code == 0 ? kExitDone : kExitUsage;
  }
  const int code = action();
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0)
    return report("standard output: writing failed", kExitFailed);
  return code;
}

}  // namespace
}  // namespace uaspl::cli

int main(int argc, char** argv) {
  using namespace uaspl;
  cli::handle_signals();
  try {
    use_instruction_set_of_environment();
    return cli::run(argc, argv);
  } catch (const UsageError& error) {
    return cli::report(error.what(), cli::kExitUsage);
  } catch (const std::bad_alloc&) {
    return cli::report("out of memory", cli::kExitFailed);
  } catch (const std::exception& error) {
    return cli::report(error.what(), cli::kExitFailed);
  }
}
