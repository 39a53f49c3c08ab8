// Defines the conditions of an experiment: the usual ones for tables and for images, and how
// results describe them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "uaspl/study/record.hpp"
#include "uaspl/train/fit_model.hpp"

namespace uaspl {

struct ExperimentOptions {
  FitOptions fit = {.resources = {.threads = 1}};  // its seed is that of the run
  RowOptions rows = {};
  std::size_t limit = 0;       // of training images that the data set was cut to; 0: none
  std::size_t test_limit = 0;  // of test images
  // The following options change no result.
  bool trace = false;                      // keep the state of every row at every stage
  bool keep_predictions = false;           // keep what is predicted of every test row
  bool curves = false;                     // keep loss and accuracy of every pass
  std::filesystem::path checkpoints = {};  // folder for unfinished runs; none: no checkpoints
  RunParts parts() const { return {trace, keep_predictions, curves}; }
};

// Returns all that decides a run's result besides data, method and seed, as canonical JSON. Method
// options are taken as they are; run_key.hpp applies those that suit the data set.
std::string configuration(const ChosenMethod& method, const ExperimentOptions& options);

// Returns the passes of each stage in a configuration; nothing if the text is no configuration.
std::optional<int> configured_steps(const std::string& configuration);

// How much work of the image study is done.
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

// Returns the options of the paper's image study: batches of 64, rates that fall with the stages,
// augmented views. LeNet, which has no normalisation layers, learns at half of the rates.
ExperimentOptions image_protocol(const ImageProfile& profile,
                                 const std::string& network = "resnet18");

}  // namespace uaspl
