// Reads CIFAR-10's binary batches, and the archive of them.
#include <fmt/format.h>

#include <algorithm>

#include "uaspl/data/image/image_files.hpp"
#include "uaspl/io/tar.hpp"

namespace uaspl {

LabelledImages read_cifar(Unpacker& bytes, std::size_t limit) {
  LabelledImages images;
  images.shape = {3, 32, 32};
  const std::size_t record = 1 + images.shape.size();
  // The number of records is only known at the end.
  std::vector<std::uint8_t> block(64 * record);
  const std::size_t begin = bytes.position();
  while (true) {
    const std::size_t left = limit - (bytes.position() - begin);
    const std::size_t got = bytes.read_some(block.data(), std::min(block.size(), left));
    if (got == 0) break;
    if (got % record != 0)
      bytes.fail(fmt::format("ends within record {}, expected records of {} bytes",
                             images.labels.size() + got / record + 1, record));
    for (std::size_t at = 0; at < got; at += record) {
      const int label = block[at];
      if (label > 9)
        bytes.fail(fmt::format("label {} of image {}, expected less than 10", label,
                               images.labels.size() + 1));
      images.labels.push_back(label);
      images.pixels.insert(images.pixels.end(), block.data() + at + 1, block.data() + at + record);
    }
  }
  if (images.labels.empty()) bytes.fail(fmt::format("no records of {} bytes", record));
  return images;
}

CifarBatches read_cifar_archive(Unpacker& bytes) {
  CifarBatches batches;
  for (TarReader archive(bytes); archive.next();) {
    const std::string name = archive.name().substr(archive.name().rfind('/') + 1);
    if (std::ranges::find(kCifarBatches, name) == kCifarBatches.end()) continue;
    if (archive.size() > kMostCifarBytes || batches.contains(name))
      bytes.fail(
          fmt::format("{} of {} bytes is too large, or is there twice", name, archive.size()));
    LabelledImages batch = read_cifar(bytes, archive.size());
    if (batch.labels.size() * (1 + batch.shape.size()) != archive.size())
      bytes.fail(fmt::format("ends within {}", name));
    batches.emplace(name, std::move(batch));
  }
  bytes.drain();  // so that the sum of packed data is checked
  if (!batches.contains(kCifarBatches.back()) || batches.size() < 2)
    bytes.fail(fmt::format("lacks {} or {}", kCifarBatches.front(), kCifarBatches.back()));
  return batches;
}

}  // namespace uaspl
