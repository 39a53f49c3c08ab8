// Declares what `uaspl bench` and `uaspl reproduce` share.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/images.hpp"
#include "cli/options.hpp"
#include "uaspl/study/study.hpp"

namespace uaspl::cli {

struct BenchOptions {
  Study study;
  // Options of the command line, which override the study.
  std::vector<std::string> datasets;
  ImageCommandOptions images;
  std::string start;  // file of the first weights
  std::optional<int> pretraining;
  std::optional<std::size_t> runs;
  std::optional<int> steps;
  std::optional<float> rate;
  bool trace = false;
  std::vector<std::string> data;
  std::size_t jobs = 0;  // 0: one for each core; under mpirun, one for each rank
  std::string plan;      // the file that the study was read from
  std::string output;
  bool safe_csv = false;
  std::string database;
  std::string shard;
  LoadOptions load;
  FileOptions file;
  bool report = false;  // print a report instead of the table
  CommonOptions common;
};

// Adds the options of both verbs: data sets, runs, data, steps, rate, jobs, store, shard.
void add_run_options(CLI::App& verb, BenchOptions& options);

// Runs the study and prints the outcome; returns the exit code.
int run_bench(BenchOptions options);

}  // namespace uaspl::cli
