// Turns images into a data set that can be trained on.
#pragma once

#include <cstdint>

#include "uaspl/data/dataset.hpp"

namespace uaspl {

// Uses the transform that suits the set if it is a known one. If no images are for testing, a fifth
// of each class is held out, drawn by the seed.
Dataset image_dataset(ImageSet images, std::uint64_t seed = 2025);

}  // namespace uaspl
