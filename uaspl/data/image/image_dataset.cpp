// Images as a data set, see image_dataset.hpp.
#include "uaspl/data/image/image_dataset.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "uaspl/base/error.hpp"
#include "uaspl/base/pick.hpp"
#include "uaspl/data/image/image_sets.hpp"
#include "uaspl/data/split.hpp"

namespace uaspl {
namespace {

constexpr double kHeldOut = 0.2;

// Returns the rows of the split, those for training first.
ImageSet in_order(const ImageSet& images, const Split& split) {
  ImageSet ordered{images.name, images.shape, {}, {}, images.classes, split.train.size(), ""};
  ordered.pixels.reserve(images.pixels.size());
  for (const std::vector<int>* part : {&split.train, &split.test})
    for (const int row : *part) {
      const auto image = images.image(static_cast<std::size_t>(row));
      ordered.pixels.insert(ordered.pixels.end(), image.begin(), image.end());
      ordered.labels.push_back(images.labels[static_cast<std::size_t>(row)]);
    }
  ordered.content = image_content(ordered);
  return ordered;
}

}  // namespace

Dataset image_dataset(ImageSet images, std::uint64_t seed) {
  if (images.shape.height * images.shape.width > kMostNetworkPixels)
    throw Error(
        fmt::format("{}: images of {} x {} pixels are too large for the networks; resize "
                    "makes them smaller",
                    images.name, images.shape.height, images.shape.width));
  if (images.train == images.rows()) {
    const Split split = stratified_split(images.labels, images.classes.size(), kHeldOut, seed);
    if (split.test.empty())
      throw Error(fmt::format("{}: {} images are too few to hold a fifth of a class out",
                              images.name, images.rows()));
    images = in_order(images, split);
  }
  if (images.content.empty()) images.content = image_content(images);
  Dataset data;
  data.name = images.name;
  data.target = {"class", images.classes};
  data.labels = images.labels;
  const ImageTransform transform = transform_of(images);
  data.samples = Images{std::make_shared<const ImageSet>(std::move(images)), transform};
  return data;
}

}  // namespace uaspl
