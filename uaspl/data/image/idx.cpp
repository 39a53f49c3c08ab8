// Reads IDX files: a magic number, the dimensions, then the values; numbers are big-endian.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "uaspl/data/image/image_files.hpp"

namespace uaspl {
namespace {

// Reads the lengths of the dimensions, after a magic number that gives the type (bytes) and the
// number of dimensions.
template <std::size_t dimensions>
std::array<std::size_t, dimensions> read_header(Unpacker& bytes) {
  std::array<std::uint8_t, 4 + 4 * dimensions> header{};
  bytes.read(header.data(), header.size());
  const std::array<std::uint8_t, 4> magic = {0, 0, 8, dimensions};
  if (!std::equal(magic.begin(), magic.end(), header.begin()))
    bytes.fail(fmt::format(
        "begins with {:02x} {:02x} {:02x} {:02x}, expected 00 00 08 {:02x}: IDX, bytes in {} "
        "dimension{}",
        header[0], header[1], header[2], header[3], dimensions, dimensions,
        dimensions == 1 ? "" : "s"));
  std::array<std::size_t, dimensions> lengths{};
  for (std::size_t i = 0; i < 4 * dimensions; ++i)
    lengths[i / 4] = lengths[i / 4] << 8 | header[4 + i];
  return lengths;
}

}  // namespace

LabelledImages read_idx_images(Unpacker& bytes) {
  const auto [count, height, width] = read_header<3>(bytes);
  if (std::min({count, height, width}) == 0 || std::max(height, width) > kMostImageSide ||
      count > kMostImageBytes / (height * width))
    bytes.fail(fmt::format("cannot hold {} images of {} x {} pixels", count, height, width));
  LabelledImages images;
  images.shape = {1, height, width};
  images.pixels = bytes.read(count * height * width);
  bytes.finish();
  return images;
}

std::vector<int> read_idx_labels(Unpacker& bytes, std::size_t classes) {
  const auto [count] = read_header<1>(bytes);
  const std::vector<std::uint8_t> values = bytes.read(count);
  bytes.finish();
  for (std::size_t i = 0; i < count; ++i)
    if (values[i] >= classes)
      bytes.fail(
          fmt::format("label {} of image {}, expected less than {}", values[i], i + 1, classes));
  return {values.begin(), values.end()};
}

}  // namespace uaspl
