// From images to a model: pre-training and the stages of a method on the training images.
#pragma once

#include <cstdint>
#include <filesystem>

#include "uaspl/data/dataset.hpp"
#include "uaspl/run/protocol.hpp"
#include "uaspl/train/model.hpp"
#include "uaspl/train/trainer.hpp"

namespace uaspl {

struct ImageLearned {
  Model model;  // with its scores on the test images
  FitReport report;
};

// With a checkpoint file, what is in it is not done again; it stays there until it is removed.
// Where several ranks train the network (options.group), all read it and rank 0 writes.
ImageLearned learn_images(const Dataset& data, const ChosenMethod& method,
                          const ExperimentOptions& options, std::uint32_t seed,
                          const std::filesystem::path& checkpoint = {},
                          Observer* observer = nullptr);

}  // namespace uaspl
