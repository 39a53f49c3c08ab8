// Declares what `uaspl bench` and `uaspl reproduce` share.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/conditions.hpp"
#include "cli/images.hpp"
#include "cli/options.hpp"
#include "uaspl/study/study.hpp"

namespace uaspl::cli {

struct BenchOptions {
  Study study;
  // Options of the command line, which override the study.
  std::vector<std::string> datasets;
  std::vector<std::string> methods;
  std::vector<std::string> settings;  // besides those of the study
  ImageCommandOptions images;
  ConditionOptions conditions;
  std::optional<std::size_t> runs;
  bool trace = false;
  bool keep_predictions = false;
  bool curves = false;
  std::vector<std::string> data;
  std::size_t jobs = 0;  // 0: one for each core; under mpirun, one for each rank
  std::string plan;      // the file that the study was read from
  std::string output;
  bool safe_csv = false;
  std::string export_splits;  // folder; nothing is run
  std::string database;
  std::string shard;
  LoadOptions load = published_loading();
  FileOptions file;
  bool report = false;  // print a report instead of the table
  CommonOptions common;
};

// Adds the options of both verbs: methods, data sets, runs, data, conditions, jobs, store, shard.
void add_run_options(CLI::App& verb, BenchOptions& options);

// Runs the study and prints the outcome; returns the exit code.
int run_bench(BenchOptions options);

}  // namespace uaspl::cli
