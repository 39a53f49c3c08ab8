// From a data set to a model: scaling, pre-training and the stages of a method on chosen rows.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "uaspl/data/dataset.hpp"
#include "uaspl/method/registry.hpp"
#include "uaspl/train/model.hpp"
#include "uaspl/train/trainer.hpp"

namespace uaspl {

struct LearnOptions {
  std::vector<std::size_t> hidden = {128, 128};
  int pretraining = 20;  // cross-entropy passes
  Training training = {};
  std::uint32_t seed = 2025;
  std::size_t threads = 1;
};

struct Learned {
  Model model;
  FitReport report;
};

// Trains on the given rows of the data set. The classes are those of the whole data set.
Learned learn(const Dataset& data, std::span<const int> rows, const ChosenMethod& method,
              const LearnOptions& options, Observer* observer = nullptr);

// Method, options and training in words, for model files.
std::map<std::string, std::string> describe_training(const ChosenMethod& method,
                                                     const Training& training, int pretraining);

// Refuses, with a reason, data that nothing can be learned from: no second class, hardly more rows
// than classes.
void check_learnable(const Dataset& data);

}  // namespace uaspl
