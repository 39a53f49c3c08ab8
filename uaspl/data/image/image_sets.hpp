// Image data sets by name or from a folder of pictures.
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
  // At most so many images, 0 for all: the first ones of a known set; of a folder, the first ones
  // of each class in turn.
  std::size_t limit = 0;       // for training
  std::size_t test_limit = 0;  // for testing
  // Only for folders of pictures: what makes pictures equal that are not.
  std::optional<ImageSize> resize = std::nullopt;
  bool grey = false;
  bool colour = false;    // grey ones too
  bool to_judge = false;  // only those for testing, if some are; of any number of classes
};

// What brings pictures to the shape.
ImageOptions image_options_for(const ImageShape& shape);

// A known set, looked for in FOLDER/NAME of each data folder, or the path of a folder of pictures.
// `notes` gets a sentence for each file that is not the published one, and for images that are
// missing.
ImageSet open_images(const std::string& name, const DataFolders& folders,
                     const ImageOptions& options = {}, std::vector<std::string>* notes = nullptr);

// PNG and JPEG files: FOLDER/train/CLASS/* and FOLDER/test/CLASS/*, or FOLDER/CLASS/*, all for
// training; to judge by, FOLDER/test/CLASS/* or FOLDER/CLASS/*, none for training. Classes and
// files come in the order of their names' bytes; names that begin with a dot, and files of other
// kinds, are passed over.
ImageSet read_image_folder(const std::filesystem::path& folder, const ImageOptions& options = {});

// A picture, or all pictures in a folder and in those below it, in the order of their names. Links
// to folders are not followed: they may lead in a circle.
std::vector<std::filesystem::path> find_pictures(const std::filesystem::path& place);

// Pictures without known classes, brought to the shape.
ImageSet read_pictures(std::span<const std::filesystem::path> files, const ImageShape& shape);

// The files of a known set in the first folder that has enough of them to read it, in the order
// in which they are read; empty where there is none. `passed_over` gets the folders before it.
struct FolderWithout {
  std::filesystem::path folder;
  std::vector<std::string> missing;  // files; none: the folder itself
};
std::vector<std::filesystem::path> image_set_files(
    const KnownImages& set, const DataFolders& folders,
    std::vector<FolderWithout>* passed_over = nullptr);

// SHA-256 of shape, number of training images, classes, labels and pixels.
std::string image_content(const ImageSet& images);

// How a network sees them: the known transform, or mean and deviation of the training images.
ImageTransform transform_of(const ImageSet& images);

}  // namespace uaspl
