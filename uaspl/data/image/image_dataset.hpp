// Images as a data set that can be trained on.
#pragma once

#include <cstdint>

#include "uaspl/data/dataset.hpp"

namespace uaspl {

// With the transform that suits it, where it is a known set. Where no images are
// for testing, a fifth of each class is held out by the seed.
Dataset image_dataset(ImageSet images, std::uint64_t seed = 2025);

}  // namespace uaspl
