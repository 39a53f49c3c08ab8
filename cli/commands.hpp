// The verbs of the tool: each adds its sub-command and options, and is run when it was given.
#pragma once

#include <CLI/CLI.hpp>
#include <atomic>

namespace uaspl::cli {

// Set by Ctrl-C and SIGTERM; long work looks at it and ends cleanly.
extern std::atomic<bool> interrupted;

constexpr int kExitDone = 0;
constexpr int kExitFailed = 1;
constexpr int kExitUsage = 2;
constexpr int kExitInterrupted = 130;

// Each stores its exit code in `result` when its verb is run.
void add_bench(CLI::App& app, int& result);
void add_list(CLI::App& app, int& result);

}  // namespace uaspl::cli
