// The tool `uaspl`: dispatches to its verbs and turns errors into messages and exit codes.
#include <fmt/format.h>

#include <csignal>
#include <cstdio>
#include <new>

#include "cli/commands.hpp"
#include "uaspl/base/error.hpp"
#include "uaspl/base/version.hpp"

namespace uaspl::cli {

std::atomic<bool> interrupted{false};

namespace {

// A second Ctrl-C ends the program the hard way.
void on_signal(int signal) {
  interrupted = true;
  std::signal(signal, SIG_DFL);
}

int run(int argc, char** argv) {
  CLI::App app("Uncertainty-aware self-paced learning: classifiers that say when they do not know.",
               "uaspl");
  app.set_version_flag("--version", version());
  app.require_subcommand(1);
  app.get_formatter()->column_width(34);
  app.footer(
      "Exit codes: 0 done, 1 failed, 2 bad usage, 130 interrupted.\n"
      "`uaspl VERB --help` explains a verb and gives examples.");
  int result = kExitDone;
  add_bench(app, result);
  add_list(app, result);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kExitDone : kExitUsage;
  }
  return result;
}

int report(const char* message, int code) {
  fmt::print(stderr, "uaspl: {}\n", message);
  return code;
}

}  // namespace
}  // namespace uaspl::cli

int main(int argc, char** argv) {
  using namespace uaspl;
  std::signal(SIGINT, cli::on_signal);
  std::signal(SIGTERM, cli::on_signal);
  try {
    return cli::run(argc, argv);
  } catch (const UnknownName& error) {
    return cli::report(error.what(), cli::kExitUsage);
  } catch (const std::bad_alloc&) {
    return cli::report("out of memory", cli::kExitFailed);
  } catch (const std::exception& error) {
    return cli::report(error.what(), cli::kExitFailed);
  }
}
