// Turns pixels into what a network sees, see transform.hpp.
#include "uaspl/data/image/transform.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "uaspl/base/error.hpp"
#include "uaspl/base/rng.hpp"

namespace uaspl {
namespace {

// Returns the place 0..size-1 that a place outside shows, by reflection: the edge is not repeated.
std::ptrdiff_t reflected(std::ptrdiff_t place, std::ptrdiff_t size) {
  if (place < 0) return -place;
  return place < size ? place : 2 * (size - 1) - place;
}

void check(const ImageShape& shape, const ImageTransform& transform) {
  const std::size_t channels = shape.channels;
  if (transform.mean.size() != channels || transform.deviation.size() != channels)
    throw Error(fmt::format("images: {} channels need as many means and deviations, not {} and {}",
                            channels, transform.mean.size(), transform.deviation.size()));
  for (std::size_t c = 0; c < channels; ++c)
    if (!std::isfinite(transform.mean[c]) || !std::isfinite(transform.deviation[c]) ||
        transform.deviation[c] <= 0.0F)
      throw Error("images: means must be finite, deviations finite and above 0");
  const std::size_t smaller = std::min(shape.height, shape.width);
  const std::size_t most = transform.padding == Padding::kReflect ? smaller - 1 : smaller;
  if (smaller == 0 || transform.pad > most)
    throw Error(fmt::format("images: {} x {} pixels cannot be padded by {}", shape.height,
                            shape.width, transform.pad));
}

}  // namespace

ImageLens::ImageLens(const ImageSet& images, const ImageTransform& transform)
    : images_(images), transform_(transform) {
  check(images.shape, transform);
  for (std::size_t c = 0; c < images.shape.channels; ++c)
    for (int value = 0; value < 256; ++value)
      values_.push_back((static_cast<float>(value) / 255.0F - transform.mean[c]) /
                        transform.deviation[c]);
}

void ImageLens::see(int row, const View& view, float* out) const {
  const ImageShape& shape = images_.shape;
  const std::uint8_t* pixels = images_.image(static_cast<std::size_t>(row)).data();
  const Cut cut = view.augmented ? draw(row, view.seed) : Cut{};
  const std::size_t plane = shape.height * shape.width;
  for (std::size_t c = 0; c < shape.channels; ++c) {
    const float* values = values_.data() + 256 * c;
    if (cut == Cut{}) {
      for (std::size_t i = 0; i < plane; ++i) out[i] = values[pixels[i]];
    } else {
      see_channel(pixels, values, cut, out);
    }
    pixels += plane;
    out += plane;
  }
}

// Draws the cut of a row, which depends only on the row and the seed.
ImageLens::Cut ImageLens::draw(int row, std::uint64_t seed) const {
  Stream stream(mix_bits(seed) ^ mix_bits(~static_cast<std::uint64_t>(row)));
  const auto pad = static_cast<std::ptrdiff_t>(transform_.pad);
  const auto offset = [&] {
    return static_cast<std::ptrdiff_t>(stream.below(static_cast<std::uint64_t>(2 * pad + 1))) - pad;
  };
  Cut cut;
  cut.down = offset();
  cut.right = offset();
  cut.mirrored = transform_.mirror && stream.word() >> 63 != 0;
  return cut;
}

void ImageLens::see_channel(const std::uint8_t* pixels, const float* values, const Cut& cut,
                            float* out) const {
  const auto height = static_cast<std::ptrdiff_t>(images_.shape.height);
  const auto width = static_cast<std::ptrdiff_t>(images_.shape.width);
  const bool reflect = transform_.padding == Padding::kReflect;
  // The columns of the cut that lie in the image; few others remain.
  const std::ptrdiff_t first = std::max<std::ptrdiff_t>(0, -cut.right);
  const std::ptrdiff_t last = std::min(width, width - cut.right);
  for (std::ptrdiff_t y = 0; y < height; ++y, out += width) {
    const std::ptrdiff_t from_y = y + cut.down;
    if (!reflect && (from_y < 0 || from_y >= height)) {
      std::fill_n(out, width, values[0]);
      continue;
    }
    const std::uint8_t* line = pixels + reflected(from_y, height) * width;
    const auto outside = [&](std::ptrdiff_t x) {
      return reflect ? values[line[reflected(x + cut.right, width)]] : values[0];
    };
    for (std::ptrdiff_t x = 0; x < first; ++x) out[x] = outside(x);
    for (std::ptrdiff_t x = first; x < last; ++x) out[x] = values[line[x + cut.right]];
    for (std::ptrdiff_t x = last; x < width; ++x) out[x] = outside(x);
    if (cut.mirrored) std::reverse(out, out + width);
  }
}

}  // namespace uaspl
