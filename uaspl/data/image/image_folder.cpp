// Reads folders of pictures, with one folder for each class.
#include <fmt/format.h>

#include <algorithm>
#include <system_error>

#include "uaspl/base/error.hpp"
#include "uaspl/base/text.hpp"
#include "uaspl/data/image/image_files.hpp"
#include "uaspl/data/image/image_sets.hpp"
#include "uaspl/data/image/picture.hpp"
#include "uaspl/io/input.hpp"

namespace uaspl {
namespace {

namespace fs = std::filesystem;

// Lists the content of a folder, sorted by name.
std::vector<fs::path> entries(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code failed;
  for (fs::directory_iterator it(folder, failed), end; !failed && it != end; it.increment(failed))
    if (!it->path().filename().string().starts_with('.')) found.push_back(it->path());
  if (failed) throw Error(fmt::format("{}: cannot be read: {}", folder.string(), failed.message()));
  std::ranges::sort(found, {}, [](const fs::path& path) { return path.filename().string(); });
  return found;
}

std::vector<fs::path> folders_in(const fs::path& folder) {
  std::vector<fs::path> found = entries(folder);
  std::erase_if(found, [](const fs::path& path) {
    std::error_code failed;
    return !fs::is_directory(path, failed);
  });
  return found;
}

bool is_picture(const fs::path& path) {
  std::string kind = path.extension().string();
  for (char& c : kind)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  std::error_code failed;
  return (kind == ".png" || kind == ".jpg" || kind == ".jpeg") && fs::is_regular_file(path, failed);
}

struct PictureFile {
  fs::path path;
  int label;
  std::size_t place;  // in its class
};

std::vector<PictureFile> picture_files(const fs::path& folder,
                                       const std::vector<std::string>& classes, std::size_t limit) {
  std::vector<PictureFile> files;
  for (const fs::path& class_folder : folders_in(folder)) {
    const auto found = std::ranges::find(classes, class_folder.filename().string());
    if (found == classes.end())
      throw Error(fmt::format("{}: no class of this name to train on", class_folder.string()));
    std::size_t place = 0;
    for (const fs::path& path : entries(class_folder))
      if (is_picture(path))
        files.push_back({path, static_cast<int>(found - classes.begin()), place++});
    if (place == 0)
      throw Error(fmt::format("{}: no .png, .jpg or .jpeg files", class_folder.string()));
  }
  if (limit == 0 || files.size() <= limit) return files;
  // Keeps the first ones of each class in turn, in their old order.
  std::vector<PictureFile> chosen = files;
  std::ranges::stable_sort(chosen, {}, &PictureFile::place);
  chosen.resize(limit);
  std::ranges::stable_sort(chosen, {}, &PictureFile::label);
  return chosen;
}

Picture read_file(const fs::path& path, const ImageOptions& options) {
  Input input(path);
  input.read_all();
  Picture picture = read_picture(input.view(), input.name());
  if (options.grey) picture = to_grey(std::move(picture));
  if (options.colour && picture.channels == 1) picture = to_colour(std::move(picture));
  if (options.resize)
    picture = resized(std::move(picture), options.resize->height, options.resize->width);
  return picture;
}

std::string described(const ImageShape& shape) {
  return fmt::format("{} x {} pixels, {}", shape.height, shape.width,
                     shape.channels == 1 ? "grey" : "RGB");
}

std::vector<std::string> class_names(const fs::path& folder, std::size_t at_least) {
  std::vector<std::string> names;
  for (const fs::path& path : folders_in(folder)) {
    names.push_back(path.filename().string());
    if (!is_utf8(names.back()))
      throw Error(fmt::format("{}: the names of classes must be UTF-8", path.string()));
  }
  if (names.size() < at_least)
    throw Error(fmt::format("{}: {} folders of pictures, expected one for each class",
                            folder.string(), names.size()));
  return names;
}

void check_size(const ImageOptions& options) {
  if (!options.resize) return;
  const auto [height, width] = *options.resize;
  if (std::min(height, width) == 0 || std::max(height, width) > kMostImageSide ||
      height * width > kMostPicturePixels)
    throw UsageError(fmt::format("images cannot be resized to {} x {} pixels", height, width));
}

// Finds the files for training and testing. Sets the classes, and the number of training images.
std::vector<PictureFile> files_to_learn(const fs::path& folder, const ImageOptions& options,
                                        ImageSet& images) {
  std::error_code failed;
  const bool parts = fs::is_directory(folder / "train", failed);
  const fs::path train = parts ? folder / "train" : folder;
  images.classes = class_names(train, 2);
  std::vector<PictureFile> files = picture_files(train, images.classes, options.limit);
  images.train = files.size();
  if (!parts || !fs::is_directory(folder / "test", failed)) return files;
  auto test = picture_files(folder / "test", images.classes, options.test_limit);
  if (test.empty())
    throw Error(fmt::format("{}: no folders of pictures", (folder / "test").string()));
  files.insert(files.end(), std::make_move_iterator(test.begin()),
               std::make_move_iterator(test.end()));
  return files;
}

// Finds files to score a model on; none is for training. A folder `test` without sub-folders is a
// class of this name.
std::vector<PictureFile> files_to_judge(const fs::path& folder, const ImageOptions& options,
                                        ImageSet& images) {
  fs::path place = folder;
  std::error_code failed;
  for (const char* part : {"test", "train"})
    if (place == folder && fs::is_directory(folder / part, failed) &&
        !folders_in(folder / part).empty())
      place = folder / part;
  images.classes = class_names(place, 1);
  return picture_files(place, images.classes, options.test_limit);
}

}  // namespace

ImageSet read_image_folder(const fs::path& folder, const ImageOptions& options) {
  check_size(options);
  std::error_code failed;
  if (!fs::is_directory(folder, failed))
    throw Error(fmt::format("{}: no such folder, expected one with a folder of pictures a class",
                            folder.string()));
  ImageSet images;
  images.name = folder.string();
  const std::vector<PictureFile> files = options.to_judge ? files_to_judge(folder, options, images)
                                                          : files_to_learn(folder, options, images);
  for (const PictureFile& file : files) {
    const Picture picture = read_file(file.path, options);
    if (images.labels.empty()) {
      images.shape = picture.shape();
      if (files.size() > kMostImageBytes / images.shape.size())
        throw Error(fmt::format("{}: {} images of {} are too many; resize makes them smaller",
                                folder.string(), files.size(), described(images.shape)));
      images.pixels.reserve(files.size() * images.shape.size());
    }
    if (picture.shape() != images.shape)
      throw Error(fmt::format("{} has {}, but {} has {}; resize and grey make them equal",
                              files[0].path.string(), described(images.shape), file.path.string(),
                              described(picture.shape())));
    append_planes(picture, images.pixels);
    images.labels.push_back(file.label);
  }
  return images;
}

ImageOptions image_options_for(const ImageShape& shape) {
  return {.resize = ImageSize{shape.height, shape.width},
          .grey = shape.channels == 1,
          .colour = shape.channels == 3};
}

std::vector<fs::path> find_pictures(const fs::path& place) {
  std::error_code failed;
  if (!fs::is_directory(place, failed)) return {place};
  std::vector<fs::path> found;
  for (const fs::path& path : entries(place)) {
    if (is_picture(path)) found.push_back(path);
    if (!fs::is_directory(path, failed) || fs::is_symlink(path, failed)) continue;
    const std::vector<fs::path> below = find_pictures(path);
    found.insert(found.end(), below.begin(), below.end());
  }
  return found;
}

ImageSet read_pictures(std::span<const fs::path> files, const ImageShape& shape) {
  ImageSet images;
  images.name = files.empty() ? "" : files.front().string();
  images.shape = shape;
  images.pixels.reserve(files.size() * shape.size());
  for (const fs::path& file : files) {
    append_planes(read_file(file, image_options_for(shape)), images.pixels);
    images.labels.push_back(-1);
  }
  return images;
}

}  // namespace uaspl
