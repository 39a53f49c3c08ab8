// Any bytes as a file of images: images, or an error. The first byte chooses the kind of file.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "uaspl/base/error.hpp"
#include "uaspl/data/image_files.hpp"
#include "uaspl/data/picture.hpp"

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

void read(std::uint8_t kind, std::string_view bytes) {
  Unpacker unpacker(bytes, "fuzz");
  switch (kind) {
    case 'i': return check(read_idx_images(unpacker), false);
    case 'l': read_idx_labels(unpacker, 10); return;
    case 'c': return check(read_cifar(unpacker), true);
    case 'm': return check(read_svhn(bytes, "fuzz"), true);
    case 'p': return check(read_png(bytes, "fuzz"));
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
