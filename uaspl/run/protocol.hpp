// The conditions of an experiment: the usual ones of tables and of images, and what is said of them
// in results.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "uaspl/data/noise.hpp"
#include "uaspl/method/registry.hpp"
#include "uaspl/train/trainer.hpp"

namespace uaspl {

class Group;  // uaspl/net/group.hpp

struct ExperimentOptions {
  double test_fraction = 0.5;  // of a table; images have their own test rows
  int pretraining = 20;        // cross-entropy passes
  std::vector<std::size_t> hidden = {128, 128};
  Training training = {};
  LabelNoise noise = {};           // in the labels of the training half
  bool clean_pretraining = false;  // before the noise comes in
  std::string network = "";        // for images, see deep_networks(); none: the MLP, for tables
  double imbalance = 1.0;          // of images: the largest class to the smallest, see start.hpp
  std::size_t limit = 0;           // of training images that the data set was cut to; 0: none
  std::size_t test_limit = 0;      // of test images
  // What follows changes no result, but for the last bits of deep networks, which depend on threads
  // and device.
  std::size_t threads = 1;                 // inside one fit
  bool trace = false;                      // keep what every row was like at every stage
  std::string device = "cpu";              // of deep networks
  std::shared_ptr<Group> group = nullptr;  // of processes that train a deep network together
  std::filesystem::path checkpoints = {};  // folder for unfinished runs; none: no checkpoints
};

// All that decides a run's result besides data, method and seed, as canonical JSON.
std::string configuration(const ChosenMethod& method, const ExperimentOptions& options);

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
