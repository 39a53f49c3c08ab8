// Finds the files of the known image data sets.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <system_error>

#include "uaspl/data/image/image_files.hpp"
#include "uaspl/data/image/image_sets.hpp"

namespace uaspl {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPacked = ".gz";
constexpr std::string_view kArchive = "cifar-10-binary.tar.gz";

bool is_file(const fs::path& path) {
  std::error_code failed;
  return fs::is_regular_file(path, failed);
}

// Returns the file, packed or not; empty if it is not there.
fs::path find_file(const fs::path& folder, std::string_view name) {
  std::string plain(name);
  if (plain.ends_with(kPacked)) plain.resize(plain.size() - kPacked.size());
  for (const fs::path& path : {folder / plain, folder / (plain + std::string(kPacked))})
    if (is_file(path)) return path;
  return {};
}

struct Found {
  std::vector<fs::path> files;
  std::vector<std::string> missing;
};

Found find_files(const fs::path& folder, const std::vector<std::string>& names) {
  Found found;
  for (const std::string& name : names) {
    const fs::path path = find_file(folder, name);
    if (path.empty()) {
      found.missing.push_back(name);
    } else {
      found.files.push_back(path);
    }
  }
  return found;
}

// Finds all batches, or else the archive, or else the batches that there are, if they suffice for
// training and testing.
Found find_cifar(const fs::path& folder) {
  std::vector<std::string> names;
  for (const std::string_view name : kCifarBatches) names.emplace_back(name);
  const std::string& test_batch = names.back();
  Found most;
  for (const fs::path& place : {folder, folder / "cifar-10-batches-bin"}) {
    const Found found = find_files(place, names);
    if (found.missing.empty()) return found;
    if (found.files.size() > most.files.size()) most = found;
  }
  if (is_file(folder / kArchive)) return {{folder / kArchive}, {}};
  const bool test = std::ranges::find(most.missing, test_batch) == most.missing.end();
  if (test && most.files.size() > 1) return {most.files, {}};
  if (most.files.empty()) return {{}, {std::string(kArchive)}};
  return {{}, {test ? names.front() : test_batch}};
}

Found find_set(const KnownImages& set, const fs::path& folder) {
  if (set.format == ImageFormat::kCifar) return find_cifar(folder);
  std::vector<std::string> names;
  for (const ImageFile& file : set.files) names.emplace_back(file.name);
  return find_files(folder, names);
}

}  // namespace

std::vector<fs::path> image_set_files(const KnownImages& set, const DataFolders& folders,
                                      std::vector<FolderWithout>* passed_over) {
  for (const fs::path& folder : folders) {
    const fs::path place = folder / set.name;
    std::error_code failed;
    const bool there = fs::is_directory(place, failed);
    Found found = there ? find_set(set, place) : Found{};
    if (there && found.missing.empty()) return found.files;
    if (passed_over) passed_over->push_back({place, std::move(found.missing)});
  }
  return {};
}

}  // namespace uaspl
