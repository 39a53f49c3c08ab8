// Declares what `uaspl train` shares between tables and images.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/conditions.hpp"
#include "cli/images.hpp"
#include "cli/options.hpp"
#include "uaspl/train/train_model.hpp"

namespace uaspl::cli {

struct TrainCommandOptions {
  std::string data;
  std::string model;
  std::string method;
  std::vector<std::string> settings;
  std::vector<std::string> folders;
  double test_fraction = 0.2;
  LoadOptions load;
  FileOptions file;
  std::uint32_t seed = 2025;
  std::vector<std::size_t> hidden;
  ConditionOptions conditions;
  ImageCommandOptions images;
  std::string positive;
  std::optional<Costs> costs;
  bool resume = false;
  double patience = 300.0;  // seconds that a rank waits for the others
  CommonOptions common;
};

ChosenMethod choose_one_method(const TrainCommandOptions& options);
void warn_of(const FitReport& report, std::string_view method);

// Prints the scores on the rows that were held out; `what` they are: "rows held out".
void print_held_out(const Model& model, const Evaluation& scores, std::string_view what);

// Runs `uaspl train --images`; returns the exit code.
int train_on_images(const TrainCommandOptions& options);

}  // namespace uaspl::cli
