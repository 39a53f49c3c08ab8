// Small images with something to learn, and networks for them.
#pragma once

#include "tests/support.hpp"
#include "uaspl/loss/cross_entropy.hpp"
#include "uaspl/net/image_network.hpp"

// Where the module was not built, a test says so and is skipped.
#ifdef UASPL_HAS_TORCH
#define UASPL_NEEDS_TORCH() static_cast<void>(0)
#else
#define UASPL_NEEDS_TORCH() GTEST_SKIP() << "libuaspl_torch.so was not built"
#endif

namespace uaspl::testing {

// Noise, and a bright bar whose place is the class.
inline std::shared_ptr<ImageSet> make_images(std::size_t n, const ImageShape& shape,
                                             std::size_t classes, std::uint64_t seed) {
  auto set = std::make_shared<ImageSet>();
  set->name = "bars";
  set->shape = shape;
  set->labels = random_labels(n, classes, seed);
  for (std::size_t k = 0; k < classes && k < n; ++k) set->labels[k] = static_cast<int>(k);
  for (std::size_t k = 0; k < classes; ++k) set->classes.push_back(std::to_string(k));
  set->train = n;
  Stream stream(seed, "test images");
  for (const int label : set->labels)
    for (std::size_t c = 0; c < shape.channels; ++c)
      for (std::size_t y = 0; y < shape.height; ++y)
        for (std::size_t x = 0; x < shape.width; ++x) {
          const bool bar = x * classes / shape.width == static_cast<std::size_t>(label);
          set->pixels.push_back(static_cast<std::uint8_t>(stream.below(128) + (bar ? 100 : 0)));
        }
  return set;
}

inline ImageTransform plain_transform(std::size_t channels) {
  return {.mean = std::vector<float>(channels, 0.4F),
          .deviation = std::vector<float>(channels, 0.25F)};
}

// Augmented views of them are cut at random and mirrored.
inline Inputs inputs_of(const std::shared_ptr<const ImageSet>& images) {
  ImageTransform transform = plain_transform(images->shape.channels);
  transform.pad = 2;
  transform.mirror = true;
  return Inputs(Images{images, transform});
}

inline std::unique_ptr<Network> network_for(const ImageSet& images, const std::string& name,
                                            std::uint32_t seed = 3, std::size_t threads = 1) {
  return make_image_network({.network = name,
                             .shape = images.shape,
                             .classes = images.classes.size(),
                             .seed = seed,
                             .threads = threads});
}

// The smallest that the network takes, or nearly so.
inline ImageShape small_shape(const std::string& network, std::size_t channels = 1) {
  const std::size_t side = network == "lenet" ? 16 : 8;
  return {channels, side, side};
}

// The gradient of the mean cross-entropy, weights included.
inline LogitGradient mean_gradient(std::span<const int> labels,
                                   std::span<const float> weights = {}) {
  return [=](std::size_t first, const Matrix& logits, Matrix& dlogits) {
    EXPECT_EQ(first, 0U) << "one call for the whole batch";
    std::vector<float> losses(logits.rows());
    cross_entropy()(logits, labels, losses, &dlogits);
    for (std::size_t i = 0; i < logits.rows(); ++i)
      for (float& g : dlogits.row(i))
        g *= (weights.empty() ? 1.0F : weights[i]) / static_cast<float>(labels.size());
  };
}

inline double mean_loss(const Matrix& logits, std::span<const int> labels) {
  std::vector<float> losses(logits.rows());
  cross_entropy()(logits, labels, losses, nullptr);
  return std::accumulate(losses.begin(), losses.end(), 0.0) / static_cast<double>(losses.size());
}

inline void expect_same_bits(const State& a, const State& b) {
  ASSERT_EQ(a.size(), b.size());
  for (const auto& [name, tensor] : a) {
    EXPECT_EQ(tensor.shape, b.at(name).shape) << name;
    EXPECT_EQ(tensor.values, b.at(name).values) << name;
  }
}

}  // namespace uaspl::testing
