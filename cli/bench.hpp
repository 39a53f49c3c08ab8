// What `uaspl bench` and `uaspl reproduce` share.
#pragma once

#include <string>
#include <vector>

#include "cli/options.hpp"
#include "uaspl/run/experiment.hpp"

namespace uaspl::cli {

struct BenchOptions {
  std::vector<std::string> methods;
  std::vector<std::string> datasets;
  std::vector<std::string> settings;
  std::vector<std::string> data;
  std::size_t runs = 1;
  std::uint32_t first_seed = 2025;
  std::size_t jobs = 0;  // 0: one a core; under mpirun, one a rank
  std::string output;
  std::string database;
  std::string noise;
  std::string shard;
  LoadOptions load;
  FileOptions file;
  ExperimentOptions experiment;
  std::vector<ExperimentOptions> variants;  // instead of the one experiment
  bool report = false;                      // print a report instead of the table
  CommonOptions common;
};

// Options of both: runs, data, steps, jobs, store, shard.
void add_run_options(CLI::App& verb, BenchOptions& options);

// Runs what is asked for and prints the outcome; returns the exit code.
int run_bench(const BenchOptions& options);

}  // namespace uaspl::cli
