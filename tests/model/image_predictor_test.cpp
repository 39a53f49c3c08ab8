// Models of images: files of the first version still load, and one predictor serves many threads.
#include <thread>

#include "tests/images.hpp"
#include "uaspl/data/image/image_sets.hpp"
#include "uaspl/model/model_file.hpp"
#include "uaspl/model/predictor.hpp"

namespace uaspl {
namespace {

TEST(ImageModel, ReadsTheFilesOfVersionTwo) {
  UASPL_NEEDS_TORCH();
  const std::filesystem::path folder = testing::reference_folder() / "models";
  const Model model = load_model(folder / "lenet.v2.model");
  EXPECT_EQ(model.members.front().network.name, "lenet");
  const auto images = std::make_shared<const ImageSet>(
      read_pictures(find_pictures(folder / "pictures"), model.images().shape));
  const Predictions p = Predictor(model).predict(images, testing::first_rows(images->rows()));
  const auto expected = testing::reference("models/lenet.v2.json");
  ASSERT_EQ(p.rows(), expected["labels"].size());
  for (std::size_t i = 0; i < p.rows(); ++i) {
    EXPECT_EQ(model.target.classes[static_cast<std::size_t>(p.labels[i])], expected["labels"][i]);
    EXPECT_NEAR(p.vacuity[i], expected["vacuity"][i].get<double>(), 1e-5);
    for (std::size_t k = 0; k < model.target.classes.size(); ++k)
      EXPECT_NEAR(p.probabilities(i, k), expected["probabilities"][i][k].get<double>(), 1e-5);
  }
}

// Eight threads ask about different images, in batches of different sizes.
TEST(ImageModel, ManyThreadsSharingAPredictorGetTheAnswersOfOne) {
  UASPL_NEEDS_TORCH();
  for (const std::string network : {"lenet", "resnet8"}) {
    const auto images = testing::make_images(150, testing::small_shape(network), 3, 4);
    Model model;
    model.target = {"class", images->classes};
    model.encoder = ImageEncoder{images->shape, testing::plain_transform(1)};
    model.members.push_back({{network, {}}, testing::network_for(*images, network)->save()});
    model.readout.evidence = Evidence::kSoftplus;
    const Predictor predictor(model);
    const auto rows_of = [&](std::size_t thread, std::size_t turn) {
      std::vector<int> rows;
      for (std::size_t i = thread; i < images->rows(); i += 1 + turn)
        rows.push_back(static_cast<int>(i));
      return rows;
    };
    constexpr std::size_t kThreads = 8;
    constexpr std::size_t kTurns = 6;
    std::vector<std::vector<Predictions>> alone(kThreads);
    for (std::size_t t = 0; t < kThreads; ++t)
      for (std::size_t turn = 0; turn < kTurns; ++turn)
        alone[t].push_back(predictor.predict(images, rows_of(t, turn)));
    std::vector<std::size_t> wrong(kThreads);
    {
      std::vector<std::jthread> threads;
      for (std::size_t t = 0; t < kThreads; ++t)
        threads.emplace_back([&, t] {
          for (std::size_t turn = 0; turn < kTurns; ++turn) {
            const Predictions p = predictor.predict(images, rows_of(t, turn));
            wrong[t] += !std::ranges::equal(p.probabilities.values(),
                                            alone[t][turn].probabilities.values());
            wrong[t] += p.vacuity != alone[t][turn].vacuity;
          }
        });
    }
    EXPECT_EQ(wrong, std::vector<std::size_t>(kThreads)) << network;
  }
}

}  // namespace
}  // namespace uaspl
