// Images as a data set that can be trained on.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "uaspl/data/dataset.hpp"

namespace uaspl {

// METHOD.OPTION=VALUE: what the paper's image study sets for a known set; nothing for others.
std::vector<std::string> suitable_settings(std::string_view set);

// With the transform and the settings that suit it, where it is a known set. Where no images are
// for testing, a fifth of each class is held out by the seed.
Dataset image_dataset(ImageSet images, std::uint64_t seed = 2025);

}  // namespace uaspl
