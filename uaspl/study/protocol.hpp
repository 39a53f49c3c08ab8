// The conditions of an experiment: the usual ones of tables and of images, and what is said of them
// in results.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "uaspl/train/fit_model.hpp"

namespace uaspl {

struct ExperimentOptions {
  FitOptions fit = {};  // its seed is that of the run
  RowOptions rows = {};
  std::size_t limit = 0;       // of training images that the data set was cut to; 0: none
  std::size_t test_limit = 0;  // of test images
  // What follows changes no result.
  bool trace = false;                      // keep what every row was like at every stage
  std::filesystem::path checkpoints = {};  // folder for unfinished runs; none: no checkpoints
};

// All that decides a run's result besides data, method and seed, as canonical JSON. Method options
// are taken as they are; run_key.hpp applies what suits the data set.
std::string configuration(const ChosenMethod& method, const ExperimentOptions& options);

// The passes of each stage that a configuration says; nothing where it is none.
std::optional<int> configured_steps(const std::string& configuration);

// How much of the image study is done.
struct ImageProfile {
  std::string_view name;
  std::string_view summary;
  int pretraining;         // passes
  int passes;              // of each stage
  std::size_t limit;       // training images; 0: all
  std::size_t test_limit;  // test images; 0: all
};
std::span<const ImageProfile> image_profiles();  // quick, mid, full
const ImageProfile& find_image_profile(std::string_view name);

// The paper's image study: batches of 64, rates that fall with the stages, augmented views. LeNet,
// which normalises nothing on its way, learns at half of the rates.
ExperimentOptions image_protocol(const ImageProfile& profile,
                                 const std::string& network = "resnet18");

}  // namespace uaspl
