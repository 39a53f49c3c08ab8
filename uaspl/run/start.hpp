// What a run begins with: rows and labels to train and to test on, and a network that knows
// nothing yet.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "uaspl/data/dataset.hpp"
#include "uaspl/data/split.hpp"
#include "uaspl/net/network.hpp"
#include "uaspl/run/protocol.hpp"

namespace uaspl {

struct Start {
  Split split;                    // rows of the data set
  std::vector<int> clean_labels;  // of the training rows
  std::vector<int> labels;        // the same with noise
  std::vector<int> test_labels;
  std::size_t classes = 0;
  std::unique_ptr<Network> network;
};

// Of a table: a random part for testing, features scaled by the others, an MLP. Of images: the
// training images class by class, thinned out where an imbalance is asked for, then in a random
// order; a deep network.
Start make_start(const Dataset& data, std::uint32_t seed, const ExperimentOptions& options);

// The first images of each class, as many as the imbalance leaves, in a random order; all test
// images.
Split split_images(const ImageSet& images, double imbalance, std::uint32_t seed);

// How many images a run will see, one that is seen twice counting twice.
struct PlannedImages {
  double pretraining;
  double stages;
};
PlannedImages planned_images(const Dataset& data, const ChosenMethod& method,
                             const ExperimentOptions& options, std::uint32_t seed);

// How many images of each class are kept: count / ratio^(k / (K-1)) for the k-th of K, and then the
// counts are given to the classes at random. No more than there are.
std::vector<std::size_t> long_tail(std::span<const std::size_t> members, double ratio,
                                   std::uint32_t seed);

}  // namespace uaspl
