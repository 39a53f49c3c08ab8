// Declares the verbs of the tool.
#pragma once

#include <CLI/CLI.hpp>
#include <atomic>
#include <functional>

namespace uaspl::cli {

// Set by Ctrl-C and SIGTERM; long work checks it and ends cleanly.
extern std::atomic<bool> interrupted;

constexpr int kExitDone = 0;
constexpr int kExitFailed = 1;
constexpr int kExitUsage = 2;
constexpr int kExitInterrupted = 130;

// The work that the command line asks for. It is run once the whole line has been parsed, and
// returns the exit code.
using Action = std::function<int()>;

// Each function adds its verb, which sets the action.
void add_train(CLI::App& app, Action& action);
void add_predict(CLI::App& app, Action& action);
void add_eval(CLI::App& app, Action& action);
void add_inspect(CLI::App& app, Action& action);
void add_data(CLI::App& app, Action& action);
void add_bench(CLI::App& app, Action& action);
void add_reproduce(CLI::App& app, Action& action);
void add_report(CLI::App& app, Action& action);
void add_import(CLI::App& app, Action& action);
void add_merge(CLI::App& app, Action& action);
void add_list(CLI::App& app, Action& action);

// Adds all verbs of the command line.
void add_all(CLI::App& app, Action& action);

}  // namespace uaspl::cli
