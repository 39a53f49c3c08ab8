// The paper's four image data sets: sizes, files, sources, licence, and how a network sees them.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "uaspl/data/image/images.hpp"

namespace uaspl {

enum class ImageFormat { kIdx, kCifar, kSvhn };

// A file as it is published.
struct ImageFile {
  std::string_view name;
  std::string_view md5;
  std::size_t most_bytes;        // it has no more
  std::string_view sha256 = {};  // where it could be computed from the published file
};

struct KnownImages {
  std::string_view name;
  std::string_view title;
  ImageShape shape;
  std::size_t train;
  std::size_t test;
  std::vector<std::string> classes;
  ImageFormat format;
  std::vector<ImageFile> files;           // files to fetch
  std::vector<std::string_view> sources;  // addresses of folders with these files
  std::string_view licence;
  std::string_view citation;
  ImageTransform transform;
};

std::span<const KnownImages> known_images();
const KnownImages* find_known_images(std::string_view name);  // null if it is not known

// Returns the published sum of an unpacked file, for files that were unpacked or packed again by
// somebody else; the name is without `.gz`. Empty if no sum is known.
std::string_view unpacked_md5(std::string_view set, std::string_view file);

}  // namespace uaspl
