// Pictures from PNG and JPEG files, and what makes them equal: grey values and another size.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "uaspl/data/image/images.hpp"

namespace uaspl {

// Pictures of more pixels are refused.
inline constexpr std::size_t kMostPicturePixels = std::size_t{1} << 26;

struct Picture {
  std::size_t height = 0;
  std::size_t width = 0;
  std::size_t channels = 0;          // 1 grey, 3 RGB
  std::vector<std::uint8_t> values;  // row by row, pixel by pixel
  ImageShape shape() const { return {channels, height, width}; }
};

// Which of the two it is, its first bytes say. Palettes become RGB, 16 bits become 8, and what is
// transparent is laid over black. Colour profiles, gamma and EXIF's orientation are not looked at.
Picture read_picture(std::string_view bytes, const std::string& name);
Picture read_png(std::string_view bytes, const std::string& name);
Picture read_jpeg(std::string_view bytes, const std::string& name);

// 0.299 red + 0.587 green + 0.114 blue (ITU-R BT.601).
Picture to_grey(Picture picture);

// Grey values as red, green and blue.
Picture to_colour(Picture picture);

// Bilinear, with antialiasing: a new pixel is the mean of the old ones, weighed by a triangle that
// is as wide as two new pixels, or two old ones where the picture grows. Sides scale on their own.
Picture resized(Picture picture, std::size_t height, std::size_t width);

// Adds the values to the end, channel by channel.
void append_planes(const Picture& picture, std::vector<std::uint8_t>& to);

}  // namespace uaspl
