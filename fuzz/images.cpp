// Any bytes as a file of images: images, or an error. The first byte chooses the kind of file.
#include <zlib.h>

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "uaspl/base/error.hpp"
#include "uaspl/data/image/image_files.hpp"
#include "uaspl/data/image/picture.hpp"

namespace {

using namespace uaspl;

void check(const LabelledImages& images, bool labelled) {
  const std::size_t size = images.shape.size();
  if (size == 0 || images.pixels.empty() || images.pixels.size() % size != 0) std::abort();
  if (labelled && images.labels.size() * size != images.pixels.size()) std::abort();
  for (const int label : images.labels)
    if (label < 0 || label > 9) std::abort();
}

void check(const Picture& picture) {
  if (picture.values.size() != picture.shape().size() || picture.values.empty()) std::abort();
  if (picture.channels != 1 && picture.channels != 3) std::abort();
  if (resized(to_grey(picture), 3, 5).values.size() != 15) std::abort();
}

// A PNG file with the right sum after each chunk; nothing behind them would be reached otherwise.
std::string with_right_sums(std::string_view bytes) {
  std::string png(bytes);
  const auto* data = reinterpret_cast<const unsigned char*>(png.data());
  for (std::size_t at = 8; at + 12 <= png.size();) {
    const std::size_t length = std::size_t{data[at]} << 24 | std::size_t{data[at + 1]} << 16 |
                               std::size_t{data[at + 2]} << 8 | data[at + 3];
    if (length > png.size() - at - 12) break;
    const uLong sum = crc32(0, data + at + 4, static_cast<uInt>(length + 4));
    for (std::size_t i = 0; i < 4; ++i)
      png[at + 8 + length + i] = static_cast<char>(sum >> (24 - 8 * i) & 0xFF);
    at += length + 12;
  }
  return png;
}

void read(std::uint8_t kind, std::string_view bytes) {
  Unpacker unpacker(bytes, "fuzz");
  switch (kind) {
    case 'i': return check(read_idx_images(unpacker), false);
    case 'l': read_idx_labels(unpacker, 10); return;
    case 'c': return check(read_cifar(unpacker), true);
    case 'm': return check(read_svhn(bytes, "fuzz"), true);
    case 'p': return check(read_png(with_right_sums(bytes), "fuzz"));
    case 'j': return check(read_jpeg(bytes, "fuzz"));
    case 't':
      for (const auto& [name, batch] : read_cifar_archive(unpacker)) check(batch, true);
      return;
    default: return;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  if (size == 0) return 0;
  try {
    read(bytes[0], {reinterpret_cast<const char*>(bytes) + 1, size - 1});
  } catch (const Error&) {
  }
  return 0;
}
