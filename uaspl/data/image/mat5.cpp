// Reads MATLAB files of version 5, as far as SVHN needs them: elements with a tag of type and
// length, which may be packed by zlib; a matrix is an element made of elements.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "uaspl/data/image/image_files.hpp"

namespace uaspl {
namespace {

static_assert(std::endian::native == std::endian::little);

enum Type : std::uint32_t {
  kInt8 = 1,
  kUint8 = 2,
  kInt16 = 3,
  kUint16 = 4,
  kInt32 = 5,
  kUint32 = 6,
  kSingle = 7,
  kDouble = 9,
  kInt64 = 12,
  kUint64 = 13,
  kMatrix = 14,
  kCompressed = 15
};
constexpr std::uint32_t kUint8Class = 9;  // of a matrix; the type of its elements may be another

struct Tag {
  std::uint32_t type = 0;
  std::uint32_t length = 0;
  std::uint32_t padding = 0;  // bytes after the data
};

// Up to four bytes of data may stand in the second half of the tag.
Tag read_tag(Unpacker& bytes) {
  std::uint32_t first = 0;
  bytes.read(&first, 4);
  if (const std::uint32_t small = first >> 16; small != 0) {
    if (small > 4) bytes.fail(fmt::format("element of {} bytes in a tag of 4", small));
    return {first & 0xFFFF, small, 4 - small};
  }
  std::uint32_t length = 0;
  bytes.read(&length, 4);
  return {first, length, (8 - length % 8) % 8};
}

// The header of a matrix: its class, dimensions and name; the data follow.
struct Header {
  std::uint32_t matrix_class = 0;
  bool complex = false;
  std::vector<std::size_t> lengths;
  std::string name;
  std::string shape() const {
    std::string text;
    for (const std::size_t length : lengths)
      text += (text.empty() ? "" : " x ") + std::to_string(length);
    return text;
  }
};

void read_small(Unpacker& bytes, const char* what, std::uint32_t type, std::uint32_t most,
                std::string& to) {
  const Tag tag = read_tag(bytes);
  if (tag.type != type || tag.length > most)
    bytes.fail(fmt::format("matrix with {} of type {} and {} bytes, expected type {} and up to {}",
                           what, tag.type, tag.length, type, most));
  to.resize(tag.length);
  bytes.read(to.data(), to.size());
  bytes.skip(tag.padding);
}

Header read_header(Unpacker& bytes) {
  Header header;
  std::string text;
  read_small(bytes, "flags", kUint32, 8, text);
  if (text.size() != 8) bytes.fail("matrix without flags of 8 bytes");
  header.matrix_class = static_cast<std::uint8_t>(text[0]);
  header.complex = (static_cast<std::uint8_t>(text[1]) & 8) != 0;
  read_small(bytes, "dimensions", kInt32, 128, text);
  for (std::size_t i = 0; i + 4 <= text.size(); i += 4) {
    std::int32_t length = 0;
    std::memcpy(&length, text.data() + i, 4);
    if (length < 0) bytes.fail(fmt::format("matrix with a dimension of {}", length));
    header.lengths.push_back(static_cast<std::size_t>(length));
  }
  read_small(bytes, "a name", kInt8, 64, header.name);
  return header;
}

// Transposes: MATLAB stores column by column, and an ImageSet row by row.
void read_images(Unpacker& bytes, const Header& header, LabelledImages& images) {
  const auto& lengths = header.lengths;
  if (lengths.size() != 4 || header.matrix_class != kUint8Class || header.complex)
    bytes.fail(
        fmt::format("X is {} of class {}, expected rows x columns x channels x images of "
                    "unsigned bytes (class {})",
                    header.shape(), header.matrix_class, kUint8Class));
  const std::size_t height = lengths[0];
  const std::size_t width = lengths[1];
  const std::size_t channels = lengths[2];
  const Tag tag = read_tag(bytes);
  if (std::ranges::min(lengths) == 0 || std::max(height, width) > kMostImageSide ||
      (channels != 1 && channels != 3) ||
      lengths[3] > kMostImageBytes / (height * width * channels) || tag.type != kUint8 ||
      tag.length != lengths[3] * height * width * channels)
    bytes.fail(fmt::format("X is {} with {} bytes of data of type {}, expected grey or RGB images",
                           header.shape(), tag.length, tag.type));
  images.shape = {channels, height, width};
  images.pixels = bytes.read(tag.length);
  std::vector<std::uint8_t> turned(height * width);
  for (std::size_t at = 0; at < images.pixels.size(); at += turned.size()) {
    std::uint8_t* plane = images.pixels.data() + at;
    for (std::size_t row = 0; row < height; ++row)
      for (std::size_t column = 0; column < width; ++column)
        turned[row * width + column] = plane[column * height + row];
    std::copy(turned.begin(), turned.end(), plane);
  }
}

template <typename Number>
double number_at(const std::uint8_t* bytes) {
  Number value{};
  std::memcpy(&value, bytes, sizeof value);
  return static_cast<double>(value);
}

using NumberAt = double (*)(const std::uint8_t*);
struct NumberType {
  std::uint32_t type;
  std::size_t size;
  NumberAt at;
};
constexpr NumberType kNumberTypes[] = {
    {kInt8, 1, number_at<std::int8_t>},   {kUint8, 1, number_at<std::uint8_t>},
    {kInt16, 2, number_at<std::int16_t>}, {kUint16, 2, number_at<std::uint16_t>},
    {kInt32, 4, number_at<std::int32_t>}, {kUint32, 4, number_at<std::uint32_t>},
    {kSingle, 4, number_at<float>},       {kDouble, 8, number_at<double>},
    {kInt64, 8, number_at<std::int64_t>}, {kUint64, 8, number_at<std::uint64_t>},
};

void read_digits(Unpacker& bytes, const Header& header, std::vector<int>& labels) {
  const Tag tag = read_tag(bytes);
  const auto* type = std::ranges::find(kNumberTypes, tag.type, &NumberType::type);
  if (type == std::end(kNumberTypes) || tag.length % type->size != 0 || header.complex)
    bytes.fail(fmt::format("y has {} bytes of type {}, expected numbers", tag.length, tag.type));
  const std::size_t count = tag.length / type->size;
  if (header.lengths.size() != 2 || std::ranges::min(header.lengths) > 1 ||
      header.lengths[0] * header.lengths[1] != count)
    bytes.fail(
        fmt::format("y is {} with {} numbers, expected one for each image", header.shape(), count));
  const std::vector<std::uint8_t> values = bytes.read(tag.length);
  for (std::size_t i = 0; i < count; ++i) {
    const double digit = type->at(values.data() + i * type->size);
    if (!(digit >= 1.0 && digit <= 10.0) || digit != static_cast<int>(digit))
      bytes.fail(
          fmt::format("label {} of image {}, expected 1 to 9, or 10 for zero", digit, i + 1));
    labels.push_back(static_cast<int>(digit) % 10);
  }
}

void read_variable(Unpacker& bytes, LabelledImages& images) {
  const Header header = read_header(bytes);
  const bool is_images = header.name == "X";
  if (!is_images && header.name != "y") return;
  if (is_images ? !images.pixels.empty() : !images.labels.empty())
    bytes.fail(fmt::format("{} for a second time", header.name));
  is_images ? read_images(bytes, header, images) : read_digits(bytes, header, images.labels);
}

}  // namespace

LabelledImages read_svhn(std::string_view bytes, const std::string& name, std::size_t most) {
  constexpr std::size_t kHeader = 128;
  Unpacker file(bytes, name, Packing::kNone);
  std::array<char, kHeader> head{};
  file.read(head.data(), kHeader);
  const std::string_view version(head.data() + 124, 4);
  if (version != std::string_view("\0\1IM", 4))
    file.fail("no MAT file of version 5, little-endian");
  LabelledImages images;
  for (std::size_t at = kHeader; at < bytes.size();) {
    if (bytes.size() - at < 8) file.fail(fmt::format("ends within the tag at byte {}", at));
    std::uint32_t tag[2];
    std::memcpy(tag, bytes.data() + at, 8);
    at += 8;
    const std::size_t length = tag[1];
    if (length > bytes.size() - at)
      file.fail(
          fmt::format("ends at byte {}, expected {} bytes from byte {}", bytes.size(), length, at));
    const bool packed = tag[0] == kCompressed;
    Unpacker element(bytes.substr(at, length), fmt::format("{}: element at byte {}", name, at - 8),
                     packed ? Packing::kZlib : Packing::kNone);
    element.limit(most);
    const std::uint32_t type = packed ? read_tag(element).type : tag[0];
    if (type == kMatrix) read_variable(element, images);
    element.drain();  // so that the sum of packed data is checked
    most -= element.position();
    // Packed elements follow each other without padding.
    at += packed ? length : std::min(bytes.size() - at, (length + 7) / 8 * 8);
  }
  if (images.pixels.empty() || images.labels.empty())
    file.fail(fmt::format("has no {}", images.pixels.empty() ? "X" : "y"));
  if (images.pixels.size() != images.labels.size() * images.shape.size())
    file.fail(fmt::format("{} images and {} labels", images.pixels.size() / images.shape.size(),
                          images.labels.size()));
  return images;
}

}  // namespace uaspl
