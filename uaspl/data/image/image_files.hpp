// Reads the files that image data sets are published in: IDX (MNIST), CIFAR-10's records, MATLAB
// (SVHN). The functions take bytes, packed by gzip or not; the name is for messages.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "uaspl/data/image/images.hpp"
#include "uaspl/io/unpack.hpp"

namespace uaspl {

// Sets of more bytes, and images with longer sides in pixels, are refused.
inline constexpr std::size_t kMostImageBytes = std::size_t{1} << 33;
inline constexpr std::size_t kMostImageSide = std::size_t{1} << 15;

struct LabelledImages {
  ImageShape shape;
  std::vector<std::uint8_t> pixels;  // as in an ImageSet
  std::vector<int> labels;
};

// Reads IDX with unsigned bytes in three dimensions (images, rows, columns): grey images, no
// labels.
LabelledImages read_idx_images(Unpacker& bytes);
// Reads IDX with unsigned bytes in one dimension, all below `classes`.
std::vector<int> read_idx_labels(Unpacker& bytes, std::size_t classes);

// Reads CIFAR-10's binary form: a label below ten, then 32 x 32 red, green and blue values. It has
// no header, so it is read to its end or up to `limit` bytes.
inline constexpr std::size_t kMostCifarBytes = std::size_t{200000} * 3073;
LabelledImages read_cifar(Unpacker& bytes, std::size_t limit = kMostCifarBytes);

// The batches in CIFAR-10's tar archive, by the names of their files: the last of these, and one or
// more of the others.
inline constexpr std::array<std::string_view, 6> kCifarBatches = {
    "data_batch_1.bin", "data_batch_2.bin", "data_batch_3.bin",
    "data_batch_4.bin", "data_batch_5.bin", "test_batch.bin"};
using CifarBatches = std::map<std::string, LabelledImages, std::less<>>;
CifarBatches read_cifar_archive(Unpacker& bytes);

// Reads MAT version 5 as SVHN uses it: X, unsigned bytes of rows x columns x channels x images, and
// y, a digit for each, 10 for zero. Other variables are ignored. All of them unpacked may have
// `most` bytes.
LabelledImages read_svhn(std::string_view bytes, const std::string& name,
                         std::size_t most = kMostImageBytes);

}  // namespace uaspl
