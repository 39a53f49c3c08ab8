// Opens image data sets by name or from a folder of pictures.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "uaspl/data/catalogue.hpp"
#include "uaspl/data/image/images.hpp"
#include "uaspl/data/image/known_images.hpp"

namespace uaspl {

struct ImageSize {
  std::size_t height = 0;
  std::size_t width = 0;
};

struct ImageOptions {
  // The largest number of images, 0 for all: the first ones of a known set; of a folder, the first
  // ones of each class in turn.
  std::size_t limit = 0;       // for training
  std::size_t test_limit = 0;  // for testing
  // Only for folders of pictures: how to bring different pictures to one shape.
  std::optional<ImageSize> resize = std::nullopt;
  bool grey = false;
  bool colour = false;    // grey ones become colour too
  bool to_judge = false;  // read only the test part, if there is one; any number of classes
};

// Returns the options that bring pictures to the shape.
ImageOptions image_options_for(const ImageShape& shape);

// Opens a known set, which is searched in FOLDER/NAME of each data folder, or the path of a folder
// of pictures. `notes` gets a sentence for each file that is not the published one, and for images
// that are missing.
ImageSet open_images(const std::string& name, const DataFolders& folders,
                     const ImageOptions& options = {}, std::vector<std::string>* notes = nullptr);

// Reads PNG and JPEG files: FOLDER/train/CLASS/* and FOLDER/test/CLASS/*, or FOLDER/CLASS/*, which
// are all for training. With `to_judge`, reads FOLDER/test/CLASS/* or FOLDER/CLASS/*, none of them
// for training. Classes and files come in the order of their names' bytes; names that begin with a
// dot, and files of other kinds, are ignored.
ImageSet read_image_folder(const std::filesystem::path& folder, const ImageOptions& options = {});

// Returns a picture, or all pictures in a folder and its sub-folders, in the order of their names.
// Links to folders are not followed, because they may form a cycle.
std::vector<std::filesystem::path> find_pictures(const std::filesystem::path& place);

// Reads pictures without known classes and brings them to the shape.
ImageSet read_pictures(std::span<const std::filesystem::path> files, const ImageShape& shape);

// Finds the files of a known set in the first folder that has enough of them to read it, in the
// order in which they are read; empty if there is no such folder. `passed_over` gets the folders
// before it.
struct FolderWithout {
  std::filesystem::path folder;
  std::vector<std::string> missing;  // files; if none, the folder itself is missing
};
std::vector<std::filesystem::path> image_set_files(
    const KnownImages& set, const DataFolders& folders,
    std::vector<FolderWithout>* passed_over = nullptr);

// Returns the SHA-256 of shape, number of training images, classes, labels and pixels.
std::string image_content(const ImageSet& images);

// Returns how a network sees the images: by the known transform, or by mean and deviation of the
// training images.
ImageTransform transform_of(const ImageSet& images);

}  // namespace uaspl
