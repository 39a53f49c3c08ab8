// Compares what a command reads with what it writes, see outputs.hpp.
#include "cli/outputs.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "uaspl/base/error.hpp"
#include "uaspl/data/image/image_sets.hpp"
#include "uaspl/io/file.hpp"

namespace uaspl::cli {
namespace {

namespace fs = std::filesystem;

// A results store, and the files that SQLite and uaspl keep beside it.
constexpr const char* kStoreFiles[] = {"", "-wal", "-shm", "-journal", ".lock", ".checkpoints"};

std::string without_links(const fs::path& path) {
  std::error_code failed;
  const fs::path whole = fs::weakly_canonical(fs::absolute(path, failed), failed);
  return failed ? path.string() : whole.string();
}

bool is_stream(const std::string& path) {
  return path.empty() || path == "-" || is_special_file(path);
}

[[noreturn]] void refuse(const std::string& output, const std::string& other) {
  throw UsageError(
      fmt::format("{}: this output would overwrite {}; choose another name", output, other));
}

}  // namespace

Outputs::Place Outputs::place_of(const std::string& name, const std::string& path) {
  Place place{name, without_links(path), std::nullopt};
  struct stat status {};
  if (::stat(path.c_str(), &status) == 0) place.file.emplace(status.st_dev, status.st_ino);
  return place;
}

const Outputs::Place* Outputs::find(const Place& place) const {
  const auto same = [&](const Place& other) {
    return place.path == other.path || (place.file && place.file == other.file);
  };
  const auto found = std::ranges::find_if(taken_, same);
  return found == taken_.end() ? nullptr : &*found;
}

void Outputs::reads(const std::string& path) {
  struct stat status {};
  if (path == "-" && ::fstat(STDIN_FILENO, &status) == 0 && S_ISREG(status.st_mode))
    taken_.push_back({"standard input", "-", std::pair(status.st_dev, status.st_ino)});
  if (!is_stream(path)) taken_.push_back(place_of(path, path));
}

void Outputs::reads_dataset(const std::string& name, const DataFolders& folders) {
  if (const auto file = dataset_file(name, folders)) reads(file->string());
}

void Outputs::reads_images(const std::string& name, const DataFolders& folders) {
  const KnownImages* known = find_known_images(name);
  if (!known && !fs::exists(name)) return;  // whoever opens it says so
  for (const fs::path& file : known ? image_set_files(*known, folders) : find_pictures(name))
    reads(file.string());
}

void Outputs::reads_store(const std::string& path) {
  for (const char* ending : kStoreFiles) reads(path + ending);
}

void Outputs::writes(const std::string& path) {
  if (is_stream(path)) return;
  const Place place = place_of(path, final_place(path).string());
  if (const Place* other = find(place)) refuse(path, other->name);
  check_folders(place);
  taken_.push_back(place);
}

void Outputs::writes_store(const std::string& path) {
  for (const char* ending : kStoreFiles) writes(path + ending);
}

void Outputs::check_folders(const Place& place) const {
  const fs::path path = place.path;
  for (const Folder& folder : folders_)
    if (path.parent_path() == folder.path && path.extension() == folder.ending)
      refuse(folder.name, place.name);
}

void Outputs::writes_into(const std::string& folder, const std::string& ending) {
  if (folder.empty()) return;
  folders_.push_back({folder, without_links(folder), ending});
  for (const Place& place : taken_) check_folders(place);
  // Files of an earlier time that are replaced may be other names of what is read.
  std::error_code missing;
  for (const auto& entry : fs::directory_iterator(folder, missing)) {
    if (entry.path().extension() != ending) continue;
    const std::string file = entry.path().string();
    if (const Place* other = find(place_of(file, file))) refuse(file, other->name);
  }
}

std::string is_file_name(const std::string& path) {
  return path.empty() ? "expected a file name" : "";
}

}  // namespace uaspl::cli
