// Chooses which images are trained and tested on.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "uaspl/data/image/images.hpp"
#include "uaspl/data/split.hpp"

namespace uaspl {

// Takes the first training images of each class, as many as the imbalance leaves, in a random
// order, and all test images.
Split split_images(const ImageSet& images, double imbalance, std::uint32_t seed);

// Returns how many images of each class are kept: count / ratio^(k / (K-1)) for the k-th of K, and
// then the counts are given to the classes at random, but never more than a class has.
std::vector<std::size_t> long_tail(std::span<const std::size_t> members, double ratio,
                                   std::uint32_t seed);

}  // namespace uaspl
