// Which rows of a data set are trained and tested on, and with which labels.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "uaspl/data/dataset.hpp"
#include "uaspl/data/noise.hpp"
#include "uaspl/data/split.hpp"

namespace uaspl {

struct RowOptions {
  double test_fraction = 0.5;      // of a table; images have their own test rows
  LabelNoise noise = {};           // in the labels of the training rows
  bool clean_pretraining = false;  // before the noise comes in
  double imbalance = 1.0;  // of images: the largest class to the smallest, see image_split.hpp
};

struct TrainingRows {
  Split split;                          // rows of the data set
  std::vector<int> labels;              // of the training rows
  std::vector<int> pretraining_labels;  // the same, as the pre-training sees them
  std::vector<int> test_labels;
  std::size_t classes = 0;
};

// As experiments split: of a table, a random part for testing; of images, the training images class
// by class, thinned out where an imbalance is asked for, then in a random order.
TrainingRows split_rows(const Dataset& data, std::uint32_t seed, const RowOptions& options);

// These rows with their labels, and none for testing.
TrainingRows rows_to_train_on(const Dataset& data, std::span<const int> rows);

}  // namespace uaspl
