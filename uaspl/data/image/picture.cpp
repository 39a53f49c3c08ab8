// Functions for pictures of all formats, see picture.hpp.
#include "uaspl/data/image/picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "uaspl/base/error.hpp"

namespace uaspl {
namespace {

// The old pixels that make up a new one, and their weights.
struct Mix {
  std::size_t first = 0;
  std::vector<double> weights;
};

std::vector<Mix> mixes(std::size_t from, std::size_t to) {
  const double scale = static_cast<double>(from) / static_cast<double>(to);
  const double reach = std::max(scale, 1.0);
  std::vector<Mix> all(to);
  for (std::size_t i = 0; i < to; ++i) {
    const double centre = (static_cast<double>(i) + 0.5) * scale;
    const double first = std::max(std::floor(centre - reach + 0.5), 0.0);
    const double last = std::min(std::floor(centre + reach + 0.5), static_cast<double>(from));
    all[i].first = static_cast<std::size_t>(first);
    double sum = 0.0;
    for (double x = first; x < last; ++x) {
      all[i].weights.push_back(std::max(1.0 - std::abs(x + 0.5 - centre) / reach, 0.0));
      sum += all[i].weights.back();
    }
    for (double& weight : all[i].weights) weight /= sum;
  }
  return all;
}

}  // namespace

Picture read_picture(std::string_view bytes, const std::string& name) {
  if (bytes.starts_with("\x89PNG")) return read_png(bytes, name);
  if (bytes.starts_with("\xFF\xD8")) return read_jpeg(bytes, name);
  throw Error(fmt::format("{}: neither a PNG nor a JPEG file", name));
}

Picture to_grey(Picture picture) {
  if (picture.channels == 1) return picture;
  Picture grey{picture.height, picture.width, 1, {}};
  grey.values.resize(picture.height * picture.width);
  for (std::size_t i = 0; i < grey.values.size(); ++i) {
    const std::uint8_t* rgb = picture.values.data() + 3 * i;
    grey.values[i] =
        static_cast<std::uint8_t>((299U * rgb[0] + 587U * rgb[1] + 114U * rgb[2] + 500U) / 1000U);
  }
  return grey;
}

Picture to_colour(Picture picture) {
  if (picture.channels == 3) return picture;
  Picture colour{picture.height, picture.width, 3, {}};
  colour.values.reserve(3 * picture.values.size());
  for (const std::uint8_t value : picture.values)
    colour.values.insert(colour.values.end(), 3, value);
  return colour;
}

Picture resized(Picture picture, std::size_t height, std::size_t width) {
  if (picture.height == height && picture.width == width) return picture;
  const std::size_t channels = picture.channels;
  const std::vector<Mix> columns = mixes(picture.width, width);
  std::vector<float> narrow(picture.height * width * channels);
  for (std::size_t i = 0; i < narrow.size(); ++i) {
    const Mix& mix = columns[i / channels % width];
    const std::size_t row = i / channels / width * picture.width;
    double sum = 0.0;
    for (std::size_t k = 0; k < mix.weights.size(); ++k)
      sum += mix.weights[k] * picture.values[(row + mix.first + k) * channels + i % channels];
    narrow[i] = static_cast<float>(sum);
  }
  const std::vector<Mix> rows = mixes(picture.height, height);
  Picture result{height, width, channels, {}};
  const std::size_t line = width * channels;
  result.values.resize(height * line);
  std::vector<double> sums(line);
  for (std::size_t row = 0; row < height; ++row) {
    std::ranges::fill(sums, 0.5);
    for (std::size_t k = 0; k < rows[row].weights.size(); ++k)
      for (std::size_t j = 0; j < line; ++j)
        sums[j] +=
            rows[row].weights[k] * static_cast<double>(narrow[(rows[row].first + k) * line + j]);
    for (std::size_t j = 0; j < line; ++j)
      result.values[row * line + j] = static_cast<std::uint8_t>(std::min(sums[j], 255.0));
  }
  return result;
}

void append_planes(const Picture& picture, std::vector<std::uint8_t>& to) {
  to.resize(to.size() + picture.values.size());
  auto place = to.end() - static_cast<std::ptrdiff_t>(picture.values.size());
  for (std::size_t channel = 0; channel < picture.channels; ++channel)
    for (std::size_t i = channel; i < picture.values.size(); i += picture.channels)
      *place++ = picture.values[i];
}

}  // namespace uaspl
