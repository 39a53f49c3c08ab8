// Chooses which rows of a data set are trained and tested on, and with which labels.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "uaspl/data/class_weights.hpp"
#include "uaspl/data/dataset.hpp"
#include "uaspl/data/noise.hpp"
#include "uaspl/data/split.hpp"

namespace uaspl {

struct RowOptions {
  double test_fraction = 0.5;      // of a table; images have their own test rows
  LabelNoise noise = {};           // in the labels of the training rows
  bool clean_pretraining = false;  // pre-train on labels without noise
  double imbalance = 1.0;  // of images: largest class to smallest class, see image_split.hpp
};

struct TrainingRows {
  Split split;                          // rows of the data set
  std::vector<int> labels;              // of the training rows
  std::vector<int> pretraining_labels;  // labels of the same rows in the pre-training
  std::vector<int> test_labels;
  std::size_t classes = 0;
};

// Splits as in the experiments. A table gives a random part for testing. Of images, the training
// images are taken class by class, thinned out if an imbalance is asked for, given their noise, and
// put in the order of torch.randperm.
TrainingRows split_rows(const Dataset& data, std::uint32_t seed, const RowOptions& options);

// Returns how much each of these rows counts in training: its weight in the data set times that of
// its class, scaled to a mean of 1; nothing if all count equally. `labels` are those that the rows
// are trained with.
std::vector<float> loss_weights(const Dataset& data, std::span<const int> rows,
                                std::span<const int> labels, const ClassWeights& of_classes);

// Returns the weights of these rows of the data set, scaled so that its largest is 1 and no sum
// overflows; nothing if it has none.
std::vector<double> weights_of_rows(const Dataset& data, std::span<const int> rows);

// Returns these rows with their labels for training, and none for testing.
TrainingRows rows_to_train_on(const Dataset& data, std::span<const int> rows);

}  // namespace uaspl
