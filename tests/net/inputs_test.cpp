// What networks read: rows of a table or images, and nothing that does not fit the encoder.
#include "uaspl/net/inputs.hpp"

#include "tests/images.hpp"
#include "tests/models.hpp"
#include "uaspl/base/error.hpp"
#include "uaspl/data/image/image_dataset.hpp"
#include "uaspl/data/image/image_sets.hpp"

namespace uaspl {
namespace {

template <typename Work>
std::string error_of(const Work& work) {
  try {
    work();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

Dataset bars(const ImageShape& shape) {
  ImageSet images = *testing::make_images(30, shape, 3, 5);
  images.train = 20;
  images.content = image_content(images);
  return image_dataset(std::move(images));
}

TEST(Inputs, OfTheOtherKindAreAnError) {
  const Inputs table(Matrix(7, 2));
  EXPECT_EQ(table.rows(), 7U);
  EXPECT_EQ(table.matrix().cols(), 2U);
  EXPECT_EQ(error_of([&] { table.images(); }),
            "network: it reads images, and was given rows of a table");
  const auto set = testing::make_images(5, {1, 4, 4}, 2, 1);
  const Inputs images(Images{set, testing::plain_transform(1)});
  EXPECT_EQ(images.rows(), 5U);
  EXPECT_EQ(images.images().set, set);  // shared, not copied
  EXPECT_EQ(error_of([&] { images.matrix(); }),
            "network: it reads rows of a table, and was given images");
}

TEST(Inputs, OfATableAreScaledByItsEncoder) {
  const Dataset data = testing::small_set();
  const std::vector<int> some{0, 1, 2, 3, 4, 5};
  const Encoder encoder = fit_encoder(data, some);
  const TableEncoder& table = std::get<TableEncoder>(encoder);
  EXPECT_EQ(table.width(), 3U);
  // The number, and an input for each of the two categories.
  DoubleMatrix made(data.rows(), 3);
  for (std::size_t i = 0; i < data.rows(); ++i) {
    made(i, 0) = data.table().features(i, 0);
    made(i, 1) = data.table().features(i, 1) == 0.0 ? 1.0 : 0.0;
    made(i, 2) = data.table().features(i, 1) == 1.0 ? 1.0 : 0.0;
  }
  const Scaler expected = fit_scaler(made, some);
  EXPECT_EQ(table.scaler.mean, expected.mean);
  EXPECT_EQ(table.scaler.scale, expected.scale);
  const Inputs inputs = encode(encoder, data);
  ASSERT_EQ(inputs.rows(), data.rows());  // all rows, not only those it was fitted on
  for (std::size_t i = 0; i < data.rows(); ++i)
    for (std::size_t j = 0; j < 3; ++j)
      EXPECT_EQ(inputs.matrix()(i, j),
                static_cast<float>((made(i, j) - expected.mean[j]) / expected.scale[j]));
}

TEST(Inputs, OfImagesHaveTheEncodersTransform) {
  const Dataset data = bars({1, 4, 4});
  Encoder encoder = fit_encoder(data, std::vector<int>{0});
  EXPECT_EQ(std::get<ImageEncoder>(encoder).shape, (ImageShape{1, 4, 4}));
  EXPECT_EQ(std::get<ImageEncoder>(encoder).transform, data.images().transform);
  std::get<ImageEncoder>(encoder).transform = testing::plain_transform(1);
  const Inputs inputs = encode(encoder, data);
  EXPECT_EQ(inputs.images().set, data.images().set);
  EXPECT_EQ(inputs.images().transform, testing::plain_transform(1));
}

TEST(Inputs, OfAnotherWidthOrShapeAreRefused) {
  const Dataset table = testing::small_set();
  const Dataset images = bars({1, 4, 4});
  const Encoder of_table = fit_encoder(table, testing::first_rows(table.rows()));
  const Encoder of_images = fit_encoder(images, testing::first_rows(20));
  Dataset wide = table;
  wide.table().features = DoubleMatrix(table.rows(), 4);
  for (const Dataset* other : std::vector<const Dataset*>{&wide, &images})
    EXPECT_EQ(error_of([&] { encode(of_table, *other); }),
              other->name + ": not a table with the columns that the model takes");
  const Dataset large = bars({1, 4, 5});
  const Dataset coloured = bars({3, 4, 4});
  for (const Dataset* other : {&large, &coloured, &table})
    EXPECT_EQ(error_of([&] { encode(of_images, *other); }),
              other->name + ": no images of the shape that the model takes");
  EXPECT_EQ(error_of([&] { encode(of_table, table); }), "no error");
  EXPECT_EQ(error_of([&] { encode(of_images, images); }), "no error");
}

}  // namespace
}  // namespace uaspl
