// Reads pictures from PNG and JPEG files, and brings them to one form: grey or colour, and a size.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "uaspl/data/image/images.hpp"

namespace uaspl {

// Pictures with more pixels are refused.
inline constexpr std::size_t kMostPicturePixels = std::size_t{1} << 26;

struct Picture {
  std::size_t height = 0;
  std::size_t width = 0;
  std::size_t channels = 0;          // 1 grey, 3 RGB
  std::vector<std::uint8_t> values;  // row by row, pixel by pixel
  ImageShape shape() const { return {channels, height, width}; }
};

// Reads a PNG or JPEG file; the first bytes say which. Palettes become RGB, 16 bits become 8, and
// transparent pixels are laid over black. Colour profiles, gamma and EXIF's orientation are
// ignored.
Picture read_picture(std::string_view bytes, const std::string& name);
Picture read_png(std::string_view bytes, const std::string& name);
Picture read_jpeg(std::string_view bytes, const std::string& name);

// Computes 0.299 red + 0.587 green + 0.114 blue (ITU-R BT.601).
Picture to_grey(Picture picture);

// Uses grey values as red, green and blue.
Picture to_colour(Picture picture);

// Resizes bilinearly, with antialiasing: a new pixel is the mean of the old ones, weighed by a
// triangle that is as wide as two new pixels, or two old ones if the picture grows. The two sides
// scale independently.
Picture resized(Picture picture, std::size_t height, std::size_t width);

// Adds the values to the end, channel by channel.
void append_planes(const Picture& picture, std::vector<std::uint8_t>& to);

}  // namespace uaspl
