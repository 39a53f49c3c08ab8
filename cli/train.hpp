// Declares what `uaspl train` shares between tables and images.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

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
  std::string start;  // file of the first weights
  // Options of the training on the command line.
  std::optional<float> rate;
  std::optional<int> steps;
  std::optional<int> pretraining;
  std::optional<std::size_t> batch;
  ImageCommandOptions images;
  LabelNoise noise;
  bool clean_pretraining = false;  // pre-train on labels without noise
  bool resume = false;
  double patience = 300.0;  // seconds that a rank waits for the others
  CommonOptions common;
};

// Sets first weights, rate, steps, batch and pre-training to those of the command line, if given.
void apply_training_options(const TrainCommandOptions& options, FitOptions& fit);
ChosenMethod choose_one_method(const TrainCommandOptions& options);
void warn_of(const FitReport& report, std::string_view method);

// Runs `uaspl train --images`; returns the exit code.
int train_on_images(const TrainCommandOptions& options);

}  // namespace uaspl::cli
