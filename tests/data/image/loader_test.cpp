// Batches of images that are prepared on a thread of their own.
#include "uaspl/data/image/loader.hpp"

#include "tests/images.hpp"
#include "uaspl/base/error.hpp"

namespace uaspl {
namespace {

class LoaderThreads : public ::testing::Test {
 protected:
  Images images_ = testing::inputs_of(testing::make_images(64, {3, 8, 8}, 3, 5)).images();
  std::vector<int> rows_ = testing::first_rows(64);
  std::span<const int> rows(std::size_t step) const {
    return std::span(rows_).subspan(step * 8 % 64, 8);
  }
};

TEST_F(LoaderThreads, WhatWasExpectedIsWhatWouldHaveComeWithout) {
  ImageLoader ahead(images_);
  ImageLoader at_once(images_);
  for (std::size_t step = 0; step < 200; ++step) {
    const View view{step % 3 > 0, step};
    if (step == 0) ahead.expect(rows(step), view);
    ahead.expect(rows(step + 1), {(step + 1) % 3 > 0, step + 1});
    Pixels pixels = ahead.take(rows(step), view);
    EXPECT_EQ(pixels, at_once.take(rows(step), view)) << step;
    ahead.give_back(std::move(pixels));
  }
}

TEST_F(LoaderThreads, WhatIsNeverAskedForGivesWay) {
  ImageLoader loader(images_);
  ImageLoader at_once(images_);
  for (std::size_t step = 0; step < 50; ++step) loader.expect(rows(step), {true, step});
  for (const std::size_t step : {49, 3, 48})  // still there, gone, still there
    EXPECT_EQ(loader.take(rows(step), {true, step}), at_once.take(rows(step), {true, step}));
}

TEST_F(LoaderThreads, EndsInTheMiddleOfItsWorkAndRefusesRowsThatThereAreNot) {
  for (std::size_t again = 0; again < 50; ++again) {
    ImageLoader loader(images_);
    loader.expect(rows_, {true, again});
  }
  ImageLoader loader(images_);
  const std::vector<int> beyond = {1, 64};
  EXPECT_THROW(loader.expect(beyond, {}), Error);
  EXPECT_THROW(loader.take(beyond, {}), Error);
}

}  // namespace
}  // namespace uaspl
