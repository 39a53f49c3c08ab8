// Images of one size, with one class label each, and how a network sees them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace uaspl {

struct ImageShape {
  std::size_t channels = 0;
  std::size_t height = 0;
  std::size_t width = 0;
  std::size_t size() const { return channels * height * width; }
  bool operator==(const ImageShape&) const = default;
};

// Larger images are refused by networks: one step alone would need gigabytes.
inline constexpr std::size_t kMostNetworkPixels = std::size_t{1} << 20;

struct ImageSet {
  std::string name;
  ImageShape shape;
  std::vector<std::uint8_t> pixels;  // image by image, channel by channel, row by row
  std::vector<int> labels;           // places in `classes`
  std::vector<std::string> classes;
  std::size_t train = 0;  // number of training images, which come first; the others are for testing
  std::string content;    // SHA-256 of all of the above but the name

  std::size_t rows() const { return labels.size(); }
  std::span<const std::uint8_t> image(std::size_t row) const {
    return std::span(pixels).subspan(row * shape.size(), shape.size());
  }
};

enum class Padding { kBlack, kReflect };

// Maps a value to (value / 255 - mean) / deviation, with a mean and a deviation for each channel.
// An augmented view is first cut at random from the image padded on all sides, then mirrored half
// of the time.
struct ImageTransform {
  std::vector<float> mean;
  std::vector<float> deviation;
  std::size_t pad = 0;
  Padding padding = Padding::kBlack;
  bool mirror = false;
  bool operator==(const ImageTransform&) const = default;
};

// Pixels with their transform. The set is shared, so that a thread that reads ahead keeps it alive.
struct Images {
  std::shared_ptr<const ImageSet> set;
  ImageTransform transform;
  bool operator==(const Images&) const = default;  // the same set, not one like it
};

}  // namespace uaspl
