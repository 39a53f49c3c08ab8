// Images as a data set that can be trained on.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "uaspl/data/dataset.hpp"

namespace uaspl {

// With the transform and the settings that suit it, where it is a known set. Where no images are
// for testing, a fifth of each class is held out by the seed.
Dataset image_dataset(ImageSet images, std::uint64_t seed = 2025);

// METHOD.OPTION=VALUE that suit a known set, as the paper's image study has them; none for others.
std::vector<std::string> image_settings(std::string_view name);

}  // namespace uaspl
