// What `uaspl train` shares between tables and images.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/images.hpp"
#include "cli/options.hpp"
#include "uaspl/data/noise.hpp"
#include "uaspl/train/learner.hpp"

namespace uaspl::cli {

struct TrainOptions {
  std::string data;
  std::string model;
  std::string method;
  std::vector<std::string> settings;
  std::vector<std::string> folders;
  double test_fraction = 0.2;
  LoadOptions load;
  FileOptions file;
  LearnOptions learn;
  // What the command line says of them.
  std::optional<float> rate;
  std::optional<int> steps;
  std::optional<int> pretraining;
  std::optional<std::size_t> batch;
  ImageWork images;
  LabelNoise noise;
  bool clean_pretraining = false;  // before the noise comes in
  bool resume = false;
  double patience = 300.0;  // seconds that a rank waits for the others
  CommonOptions common;
};

ChosenMethod choose_one_method(const TrainOptions& options);
void warn_of(const FitReport& report, std::string_view method);

// `uaspl train --images`; returns the exit code.
int train_on_images(const TrainOptions& options);

}  // namespace uaspl::cli
