// Handles image data sets in `uaspl data`, see data_images.hpp.
#include "cli/data_images.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "cli/commands.hpp"
#include "cli/note.hpp"
#include "uaspl/base/text.hpp"
#include "uaspl/io/json_text.hpp"
#include "uaspl/io/md5.hpp"
#include "uaspl/io/sha256.hpp"

namespace uaspl::cli {
namespace {

nlohmann::ordered_json to_json(const KnownImages& set, const std::string& folder) {
  nlohmann::ordered_json files = nlohmann::ordered_json::array();
  for (const ImageFile& file : set.files) {
    files.push_back({{"name", file.name}, {"md5", file.md5}});
    if (!file.sha256.empty()) files.back()["sha256"] = file.sha256;
  }
  return {{"name", set.name},
          {"train", set.train},
          {"test", set.test},
          {"channels", set.shape.channels},
          {"height", set.shape.height},
          {"width", set.shape.width},
          {"classes", set.classes},
          {"title", set.title},
          {"licence", set.licence},
          {"citation", set.citation},
          {"files", std::move(files)},
          {"sources", set.sources},
          {"folder", folder}};
}

// Returns the folder that the set would be read from.
std::string place_of(const KnownImages& set, const DataFolders& folders) {
  const auto files = image_set_files(set, folders);
  return files.empty() ? "" : files.front().parent_path().string();
}

std::string size_of(const ImageShape& shape) {
  return fmt::format("{} x {} {}", shape.height, shape.width, shape.channels == 1 ? "grey" : "RGB");
}

}  // namespace

void list_images(const DataFolders& folders, bool json) {
  if (!json)
    fmt::print("\n{:<26} {:>5} {:>8} {:>7}  {:<13} {}\n", "images", "train", "test", "classes",
               "size", "folder");
  for (const KnownImages& set : known_images()) {
    const std::string place = place_of(set, folders);
    if (json) {
      fmt::print("{}\n", json_text(to_json(set, place)));
    } else {
      fmt::print("{:<26} {:>5} {:>8} {:>7}  {:<13} {}\n", set.name, set.train, set.test,
                 set.classes.size(), size_of(set.shape),
                 place.empty() ? "not here: `uaspl data pull`" : printable(place, kAllCharacters));
    }
  }
}

int show_images(const KnownImages& set, const DataFolders& folders, bool json) {
  const std::string place = place_of(set, folders);
  if (json) {
    fmt::print("{}\n", json_text(to_json(set, place)));
    return kExitDone;
  }
  fmt::print("{}: {}\n", set.name, set.title);
  fmt::print("size      {} training images, {} test images, {}, {} classes\n", set.train, set.test,
             size_of(set.shape), set.classes.size());
  fmt::print("classes   {}\n", fmt::join(set.classes, ", "));
  fmt::print("source    {}\n", fmt::join(set.sources, ", "));
  fmt::print("licence   {}\n", set.licence);
  fmt::print("citation  {}\n", set.citation);
  for (const ImageFile& file : set.files) fmt::print("MD5       {}  {}\n", file.md5, file.name);
  fmt::print("folder    {}\n",
             place.empty() ? "not here: `uaspl data pull`" : printable(place, kAllCharacters));
  if (place.empty()) return kExitDone;
  std::vector<std::string> notes;
  open_images(std::string(set.name), folders, {}, &notes);
  for (const std::string& text : notes) note("warning: {}", text);
  return kExitDone;
}

void pull_images(const KnownImages& set, const std::filesystem::path& folder,
                 const Fetching& fetching) {
  if (!fetching.offline) make_folder(folder / set.name);
  const std::vector<std::string> sources =
      fetching.sources.empty() ? std::vector<std::string>(set.sources.begin(), set.sources.end())
                               : fetching.sources;
  for (const ImageFile& file : set.files) {
    if (interrupted) return;
    const bool strong = !file.sha256.empty();
    const Pull pull{.name = std::string(set.name),
                    .file = folder / set.name / file.name,
                    .addresses = addresses(sources, file.name),
                    .most_bytes = file.most_bytes,
                    .checksum = std::string(strong ? file.sha256 : file.md5),
                    .checksum_name = strong ? "SHA-256" : "MD5",
                    .checksum_of = strong ? sha256 : md5};
    if (pull_file(pull, fetching) && !fetching.quiet)
      note("{}: licence: {}; {}", pull.file.string(), set.licence, set.citation);
  }
}

}  // namespace uaspl::cli
