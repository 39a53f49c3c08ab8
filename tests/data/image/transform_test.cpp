// What a network sees of images: against a slow reference that pads, cuts and mirrors by the words.
#include <algorithm>
#include <map>
#include <set>

#include "tests/images.hpp"
#include "uaspl/base/error.hpp"
#include "uaspl/data/image/transform.hpp"

namespace uaspl {
namespace {

constexpr ImageShape kShape{3, 7, 9};

ImageTransform transform(std::size_t pad, Padding padding, bool mirror) {
  return {.mean = {0.1F, 0.5F, 0.45F},
          .deviation = {0.2F, 0.5F, 0.3F},
          .pad = pad,
          .padding = padding,
          .mirror = mirror};
}

std::vector<float> seen(const ImageLens& lens, int row, const View& view) {
  std::vector<float> values(kShape.size());
  lens.see(row, view, values.data());
  return values;
}

// The pixel at a place that may lie outside, as torchvision's `reflect` and `constant` have it.
int padded(const ImageSet& set, int row, std::size_t c, int y, int x, Padding padding) {
  const int height = static_cast<int>(kShape.height);
  const int width = static_cast<int>(kShape.width);
  const bool outside = y < 0 || x < 0 || y >= height || x >= width;
  if (outside && padding == Padding::kBlack) return 0;
  if (y < 0) y = -y;
  if (x < 0) x = -x;
  if (y >= height) y = height - 2 - (y - height);
  if (x >= width) x = width - 2 - (x - width);
  return set.image(row)[(c * kShape.height + y) * kShape.width + x];
}

std::vector<float> slow(const ImageSet& set, const ImageTransform& t, int row, int dy, int dx,
                        bool mirrored) {
  std::vector<float> values;
  const int width = static_cast<int>(kShape.width);
  for (std::size_t c = 0; c < 3; ++c)
    for (int y = 0; y < static_cast<int>(kShape.height); ++y)
      for (int x = 0; x < width; ++x) {
        const int from = mirrored ? width - 1 - x : x;
        const int pixel = padded(set, row, c, y + dy, from + dx, t.padding);
        values.push_back((static_cast<float>(pixel) / 255.0F - t.mean[c]) / t.deviation[c]);
      }
  return values;
}

TEST(ImageLens, APlainViewIsTheNormalisedImage) {
  const auto set = testing::make_images(5, kShape, 3, 1);
  const ImageTransform t = transform(4, Padding::kReflect, true);
  const ImageLens lens(*set, t);
  for (int row = 0; row < 5; ++row)
    EXPECT_EQ(seen(lens, row, {.seed = 9}), slow(*set, t, row, 0, 0, false));
}

TEST(ImageLens, AnAugmentedViewIsACutOfThePaddedImageAndAllOfThemOccur) {
  const auto set = testing::make_images(3, kShape, 3, 2);
  for (const Padding padding : {Padding::kBlack, Padding::kReflect}) {
    for (const bool mirror : {false, true}) {
      constexpr int kPad = 2;
      const ImageTransform t = transform(kPad, padding, mirror);
      const ImageLens lens(*set, t);
      for (int row = 0; row < 3; ++row) {
        std::map<std::vector<float>, int> all;
        for (int dy = -kPad; dy <= kPad; ++dy)
          for (int dx = -kPad; dx <= kPad; ++dx)
            for (int m = 0; m <= (mirror ? 1 : 0); ++m) all[slow(*set, t, row, dy, dx, m == 1)] = 0;
        ASSERT_EQ(all.size(), mirror ? 50U : 25U);
        for (std::uint64_t seed = 0; seed < 5000; ++seed) {
          const auto found = all.find(seen(lens, row, {.augmented = true, .seed = seed}));
          ASSERT_NE(found, all.end()) << seed;
          ++found->second;
        }
        const double expected = 5000.0 / static_cast<double>(all.size());
        for (const auto& [values, count] : all) {
          EXPECT_GT(count, 0.5 * expected);
          EXPECT_LT(count, 1.5 * expected);
        }
      }
    }
  }
}

TEST(ImageLens, DrawsBySeedAndRowAlone) {
  auto set = testing::make_images(200, kShape, 3, 3);
  for (std::size_t row = 1; row < 200; ++row)  // the same image everywhere
    std::copy_n(set->pixels.begin(), kShape.size(), set->pixels.begin() + row * kShape.size());
  const ImageLens lens(*set, transform(3, Padding::kBlack, true));
  const ImageLens other(*set, transform(3, Padding::kBlack, true));
  std::set<std::vector<float>> rows;
  std::set<std::vector<float>> seeds;
  for (int i = 199; i >= 0; --i) {
    rows.insert(seen(lens, i, {.augmented = true, .seed = 5}));
    seeds.insert(seen(lens, 5, {.augmented = true, .seed = static_cast<std::uint64_t>(i)}));
  }
  EXPECT_GT(rows.size(), 60U);  // of 98
  EXPECT_GT(seeds.size(), 60U);
  for (int row = 0; row < 200; ++row)
    EXPECT_EQ(seen(lens, row, {true, 7}), seen(other, row, {true, 7}));
}

TEST(ImageLens, RefusesWhatItCannotDo) {
  const auto set = testing::make_images(2, kShape, 2, 4);
  const auto make = [&](const ImageTransform& t) { return ImageLens(*set, t); };
  EXPECT_NO_THROW(make(transform(6, Padding::kReflect, true)));
  EXPECT_THROW(make(transform(7, Padding::kReflect, true)), Error);
  EXPECT_NO_THROW(make(transform(7, Padding::kBlack, true)));
  EXPECT_THROW(make(transform(8, Padding::kBlack, true)), Error);
  EXPECT_THROW(make({.mean = {0.5F}, .deviation = {0.5F}}), Error);
  EXPECT_THROW(make({.mean = {0, 0, 0}, .deviation = {1, 0, 1}}), Error);
  EXPECT_THROW(make({.mean = {0, NAN, 0}, .deviation = {1, 1, 1}}), Error);
}

}  // namespace
}  // namespace uaspl
