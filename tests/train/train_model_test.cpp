// Training a model to be used: scored on rows it has not seen, trained on all of them.
#include "uaspl/train/train_model.hpp"

#include <algorithm>

#include "tests/images.hpp"
#include "tests/models.hpp"
#include "uaspl/base/error.hpp"
#include "uaspl/base/pick.hpp"
#include "uaspl/data/image/image_dataset.hpp"
#include "uaspl/data/image/image_sets.hpp"
#include "uaspl/model/model_file.hpp"
#include "uaspl/model/predictor.hpp"
#include "uaspl/train/checkpoint.hpp"

namespace uaspl {
namespace {

ChosenMethod choose(const std::string& name) {
  return choose_methods(std::vector<std::string>{name}).front();
}

// Rows that a few steps do not get all right.
Dataset mixed_set(std::size_t rows = 120) {
  Dataset data = testing::cloud_set("mixed", rows);
  data.target = {"class", {"left", "right"}};
  return data;
}

TrainOptions small_options() {
  TrainOptions options;
  options.fit.network.hidden = {8};
  options.fit.pretraining = 3;
  options.fit.training.passes = 10;
  options.fit.seed = 11;
  return options;
}

// Counts fits and passes, and stops when it has seen enough.
class Watch final : public Observer {
 public:
  void on_start(const Network&, const Method&) override { ++fits; }
  void on_pass(int, int, double) override { ++passes; }
  bool stop() override { return passes >= most; }
  int fits = 0;
  int passes = 0;
  int most = 1 << 30;
};

TEST(TrainModel, OfATableIsTrainedOnAllRowsAndScoredOnOthers) {
  const Dataset data = mixed_set();
  const TrainOptions options = small_options();
  Watch watch;
  const TrainedModel trained = train_model(data, choose("uaspl"), options, &watch);
  EXPECT_EQ(watch.fits, 2);
  EXPECT_FALSE(trained.report.stopped);

  // The model is that of all rows.
  const auto all = testing::first_rows(data.rows());
  Model whole = fit_model(data, rows_to_train_on(data, all), choose("uaspl"), options.fit).model;
  EXPECT_EQ(trained.model.rows, data.rows());
  EXPECT_FALSE(whole.held_out);
  whole.held_out = trained.model.held_out;
  EXPECT_EQ(write_model(trained.model), write_model(whole));

  // The scores are those of a model that was trained on four fifths of each class.
  const Split split = stratified_split(data.labels, 2, 0.2, options.fit.seed);
  ASSERT_EQ(split.test.size(), 24U);
  const Predictor judged(
      fit_model(data, rows_to_train_on(data, split.train), choose("uaspl"), options.fit).model);
  const Predictions predicted = judged.predict(data, split.test);
  const Evaluation expected = evaluate(pick(data.labels, split.test), predicted, 2);
  ASSERT_TRUE(trained.held_out);
  EXPECT_EQ(trained.held_out->rows, split.test.size());
  EXPECT_EQ(trained.held_out->metrics.accuracy, expected.metrics.accuracy);
  EXPECT_EQ(trained.held_out->metrics.f1, expected.metrics.f1);
  EXPECT_EQ(trained.held_out->log_loss, expected.log_loss);
  EXPECT_EQ(trained.held_out->confusion(0, 1), expected.confusion(0, 1));
  ASSERT_TRUE(trained.model.held_out);
  EXPECT_EQ(trained.model.held_out->accuracy, expected.metrics.accuracy);
  EXPECT_LT(expected.metrics.accuracy, 1.0);  // or they would say little
}

TEST(TrainModel, WithoutAHeldOutPartThereAreNoScoresAndTheModelIsTheSame) {
  const Dataset data = mixed_set();
  TrainOptions options = small_options();
  Model scored = train_model(data, choose("spl"), options).model;
  options.test_fraction = 0.0;
  Watch watch;
  const TrainedModel trained = train_model(data, choose("spl"), options, &watch);
  EXPECT_EQ(watch.fits, 1);
  EXPECT_FALSE(trained.held_out);
  EXPECT_FALSE(trained.model.held_out);
  scored.held_out.reset();
  EXPECT_EQ(write_model(trained.model), write_model(scored));
}

TEST(TrainModel, SaysWhenTheObserverEndedIt) {
  const Dataset data = mixed_set();
  for (const int passes : {1, 20, 80}) {  // before the stages, in the first fit, in the second
    Watch watch;
    watch.most = passes;
    const TrainedModel trained = train_model(data, choose("uaspl"), small_options(), &watch);
    EXPECT_TRUE(trained.report.stopped) << passes;
    EXPECT_EQ(watch.passes, passes);
    EXPECT_TRUE(trained.model.members.empty());
  }
}

TEST(TrainModel, RefusesWhatCannotBeLearnedOrHeldOut) {
  const auto error_of = [](const Dataset& data) -> std::string {
    try {
      train_model(data, choose("spl"), small_options());
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  };
  Dataset one = mixed_set();
  one.target.classes = {"left"};
  EXPECT_EQ(error_of(one),
            "mixed: column 'class' has only one class ('left'), expected at least two");
  Dataset few = mixed_set(4);
  few.labels = {0, 1, 0, 1};
  EXPECT_EQ(error_of(few), "mixed: 4 rows are too few to hold 0.2 of them out; hold out none");
}

// Bars on small images, a fifth of them for testing.
Dataset small_images() {
  ImageSet images = *testing::make_images(75, {1, 16, 16}, 3, 5);
  images.content = image_content(images);
  return image_dataset(std::move(images));
}

TrainOptions image_options() {
  TrainOptions options;
  options.fit.network = {"lenet", {}};
  options.fit.pretraining = 2;
  options.fit.seed = 5;
  Training& training = options.fit.training;
  training.stages = 3;
  training.passes = 3;
  training.batch = 16;
  training.augmented = true;
  training.step.rate = 0.05F;
  return options;
}

TEST(TrainModel, OfImagesIsScoredOnTheTestImages) {
  UASPL_NEEDS_TORCH();
  const Dataset data = small_images();
  const TrainedModel trained = train_model(data, choose("uaspl"), image_options());
  EXPECT_EQ(trained.report.stages.size(), 3U);
  EXPECT_EQ(trained.model.rows, 60U);
  EXPECT_TRUE(trained.model.is_of_images());
  const Split split = split_rows(data, 5, {}).split;
  ASSERT_EQ(split.test.size(), 15U);
  const Predictor predictor(read_model(write_model(trained.model), "m"));
  const Predictions predicted = predictor.predict(data, split.test);
  const Evaluation expected = evaluate(pick(data.labels, split.test), predicted, 3);
  ASSERT_TRUE(trained.held_out);
  EXPECT_EQ(trained.held_out->rows, 15U);
  EXPECT_EQ(trained.held_out->metrics.accuracy, expected.metrics.accuracy);
  EXPECT_NEAR(trained.held_out->log_loss, expected.log_loss, 1e-6);
  EXPECT_EQ(trained.model.held_out->accuracy, expected.metrics.accuracy);
}

TEST(TrainModel, OfImagesSaysItsNoiseAndImbalance) {
  UASPL_NEEDS_TORCH();
  const Dataset data = small_images();
  TrainOptions options = image_options();
  EXPECT_FALSE(train_model(data, choose("direct"), options).model.configuration.contains("noise"));
  options.rows.noise = {NoiseKind::kFlip1, 0.25};
  options.rows.clean_pretraining = true;
  options.rows.imbalance = 4.0;
  const Model model = train_model(data, choose("direct"), options).model;
  EXPECT_EQ(model.configuration.at("noise"), "flip1:0.25 after the pre-training");
  EXPECT_EQ(model.configuration.at("imbalance"), "4");
  EXPECT_LT(model.rows, 60U);
}

TEST(TrainModel, OfImagesGoesOnFromACheckpointAsIfNothingHadHappened) {
  UASPL_NEEDS_TORCH();
  const Dataset data = small_images();
  const TrainOptions options = image_options();
  const testing::TemporaryFolder folder;
  const CheckpointFile file(folder.path() / "model.checkpoint", "this model");
  const TrainedModel undisturbed = train_model(data, choose("uaspl"), options);
  for (const int passes : {1, 4, 5}) {  // in the pre-training, in the first stage, in the second
    Watch watch;
    watch.most = passes;
    EXPECT_TRUE(train_model(data, choose("uaspl"), options, &watch, &file).report.stopped);
  }
  ASSERT_TRUE(file.read());
  EXPECT_GE(file.read()->stages, 1);
  Watch watch;
  const TrainedModel resumed = train_model(data, choose("uaspl"), options, &watch, &file);
  EXPECT_LT(watch.passes, 2 + 3 * 3);  // something was done already
  EXPECT_EQ(write_model(resumed.model), write_model(undisturbed.model));
  ASSERT_EQ(resumed.report.stages.size(), 3U);
  EXPECT_EQ(resumed.held_out->log_loss, undisturbed.held_out->log_loss);
}

}  // namespace
}  // namespace uaspl
