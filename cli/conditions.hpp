// Declares the options by which the command line sets the conditions of training.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "cli/options.hpp"
#include "uaspl/study/protocol.hpp"
#include "uaspl/train/training_options.hpp"

namespace uaspl::cli {

// The values of the command line, as they are written; those of training by their places in
// training_options().
struct ConditionOptions {
  std::vector<std::vector<std::string>> training =
      std::vector<std::vector<std::string>>(training_options().size());
  std::string start;  // file of the first weights
  std::vector<std::string> noise;
  bool clean_pretraining = false;
  ClassWeights class_weights;
  // Says whether an option of training is given.
  bool any_training() const {
    return !start.empty() ||
           std::ranges::any_of(training, [](const auto& values) { return !values.empty(); });
  }
};

// Adds an option for each of training_options(); `several`: they take lists of values.
void add_training_options(CLI::App& verb, ConditionOptions& options, bool several);
// Adds --start.
void add_start_option(CLI::App& verb, ConditionOptions& options);
// Adds --noise and --clean-pretraining.
void add_noise_options(CLI::App& verb, ConditionOptions& options, bool several);

// Gives the conditions of the command line to each variant; each of several values makes one more.
std::vector<ExperimentOptions> apply_conditions(const ConditionOptions& options,
                                                std::vector<ExperimentOptions> variants);

// Says on standard error if the last stage does not take all rows.
void note_of_rows_left_out(const std::vector<ExperimentOptions>& variants);

}  // namespace uaspl::cli
