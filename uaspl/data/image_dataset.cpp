// Images as a data set, see image_dataset.hpp.
#include "uaspl/data/image_dataset.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "uaspl/base/error.hpp"
#include "uaspl/base/pick.hpp"
#include "uaspl/data/image_sets.hpp"
#include "uaspl/data/split.hpp"

namespace uaspl {
namespace {

constexpr double kHeldOut = 0.2;

// As the paper's image study has them: the divergence's factor in the first and in the last stage,
// and the pull on negative target logits.
struct Suits {
  std::string_view set;
  const char* beta_first;
  const char* beta_last;
  const char* kappa;
};
constexpr Suits kSuits[] = {{"cifar10", "0.1", "0.05", "1"},
                            {"svhn", "0.1", "0.05", "1"},
                            {"fashion_mnist", "0.1", "0.1", "0.25"},
                            {"mnist", "0.1", "0.1", "1.5"}};

// The rows of the split, those for training first.
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

std::vector<std::string> suitable_settings(std::string_view set) {
  for (const Suits& one : kSuits)
    if (one.set == set)
      return {std::string("uaspl_hybrid.beta_first=") + one.beta_first,
              std::string("uaspl_hybrid.beta_last=") + one.beta_last,
              std::string("uaspl_hybrid.kappa=") + one.kappa};
  return {};
}

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
  Dataset data;
  data.name = images.name;
  data.schema.target = "class";
  data.schema.classes = images.classes;
  data.labels = images.labels;
  data.content = images.content;
  data.transform = transform_of(images);
  data.settings = suitable_settings(images.name);
  data.images = std::make_shared<const ImageSet>(std::move(images));
  return data;
}

}  // namespace uaspl
