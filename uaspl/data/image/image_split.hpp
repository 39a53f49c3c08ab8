// Chooses which images are trained and tested on.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "uaspl/data/image/images.hpp"

namespace uaspl {

// Returns the training images class by class: of each class the first ones, as many as the
// imbalance leaves. Throws if there are no images for training or none for testing.
std::vector<int> grouped_images(const ImageSet& images, double imbalance, std::uint32_t seed);

// Returns all test images.
std::vector<int> test_images(const ImageSet& images);

// Returns how many images of each class are kept, as the published code has it: [N / K] of N in all
// divided by ratio^(k / (K-1)) for the k-th of K classes, and then the counts are given to the
// classes at random, but never more than a class has.
std::vector<std::size_t> long_tail(std::span<const std::size_t> members, double ratio,
                                   std::uint32_t seed);

}  // namespace uaspl
