// Applies a transform: from pixels to what a network sees.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "uaspl/base/view.hpp"
#include "uaspl/data/image/images.hpp"

namespace uaspl {

// Turns images into numbers, channel by channel. Any thread may call it. The images must outlive
// it.
class ImageLens {
 public:
  ImageLens(const ImageSet& images, const ImageTransform& transform);
  // Writes the images.shape.size() numbers of one image.
  void see(int row, const View& view, float* out) const;

 private:
  // The place of an augmented view on the image.
  struct Cut {
    std::ptrdiff_t down = 0;
    std::ptrdiff_t right = 0;
    bool mirrored = false;
    bool operator==(const Cut&) const = default;
  };
  Cut draw(int row, std::uint64_t seed) const;
  void see_channel(const std::uint8_t* pixels, const float* values, const Cut& cut,
                   float* out) const;

  const ImageSet& images_;
  ImageTransform transform_;
  std::vector<float> values_;  // values of the 256 bytes, channel by channel
};

}  // namespace uaspl
