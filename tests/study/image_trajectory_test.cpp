// The image study against runs of the published code on the first images of real sets, whose steps
// take all rows of a stage at once: losses of the pre-training, then of each stage the selected
// rows, means over all rows and the test accuracy.
//
// Training magnifies rounding here. From the same weights, PyTorch itself gave as third loss on
// MNIST 1.67159 in its usual layout, 1.65795 with the channels last, 1.67325 without oneDNN, and
// 1.67181 from weights changed by 1e-7 of their size; the reference has 1.67157. So what comes
// before the second step must agree closely, and what comes later less so.
#include <algorithm>
#include <cmath>

#include "tests/images.hpp"
#include "uaspl/base/pick.hpp"
#include "uaspl/data/image/image_dataset.hpp"
#include "uaspl/data/image/image_sets.hpp"
#include "uaspl/loss/evidential.hpp"
#include "uaspl/method/uaspl.hpp"
#include "uaspl/study/protocol.hpp"

namespace uaspl {
namespace {

using nlohmann::json;

constexpr double kClose = 1e-3;        // relative, for losses
constexpr double kCloseScore = 0.012;  // the extremes of all rows scale them to 0..1
constexpr double kLater = 0.02;
constexpr double kLaterScore = 0.08;
constexpr double kNear = 0.12;  // of scores to each other

double mean(std::span<const float> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

void expect_relative(double value, double expected, double tolerance) {
  EXPECT_NEAR(value, expected, tolerance * std::abs(expected));
}

struct SeenStage {
  std::vector<int> selected = {};
  std::vector<float> scores = {};
  double loss = 0.0;
  double vacuity = 0.0;
  double accuracy = 0.0;
};

class Watch final : public Observer {
 public:
  explicit Watch(const PreparedFit& fit) : fit_(fit) {}
  void on_start(const Network& network, const Method& method) override {
    network_ = &network;
    method_ = &method;
  }
  void on_pass(int stage, int, double loss) override {
    if (stage < 0) pretraining.push_back(loss);
  }
  void on_stage_start(const Stage& stage, const Probe& probe, const StageRows& chosen) override {
    SeenStage seen{.selected = chosen.rows};
    std::ranges::sort(seen.selected);
    const std::vector<float> losses = probe.losses(method_->loss(stage));
    const std::vector<float> unsure = vacuity(probe.logits(), Evidence::kExp);
    seen.scores = hybrid_scores(losses, unsure, static_cast<float>(stage.index + 1) / 6.0F);
    seen.loss = mean(losses);
    seen.vacuity = mean(unsure);
    stages.push_back(std::move(seen));
  }
  void on_stage_end(const StageTrace&, const Probe&) override {
    stages.back().accuracy = fit_.test(*network_).accuracy;
  }

  std::vector<double> pretraining;
  std::vector<SeenStage> stages;

 private:
  const PreparedFit& fit_;
  const Network* network_ = nullptr;
  const Method* method_ = nullptr;
};

FitOptions options_of(const json& run) {
  FitOptions fit = image_protocol(find_image_profile("full")).fit;
  fit.seed = run["seed"];
  fit.pretraining = run["pretraining_steps"];
  fit.training.passes = run["steps_per_stage"];
  fit.training.step.rate = run["rate"];
  fit.training.batch = 0;
  fit.training.augmented = false;
  fit.resources.threads = 1;
  return fit;
}

ChosenMethod method_of(const json& run) {
  std::vector<std::string> settings;
  for (const std::string option : {"beta_first", "beta_last", "kappa"})
    settings.push_back("uaspl_hybrid." + option + "=" + run[option].dump());
  return choose_methods(std::vector<std::string>{"uaspl_hybrid"}, settings).front();
}

// All training rows in the order of the file.
TrainingRows rows_of(const Dataset& data, const json& run) {
  TrainingRows rows = rows_to_train_on(data, testing::first_rows(run["train"]));
  for (std::size_t i = rows.labels.size(); i < data.rows(); ++i)
    rows.split.test.push_back(static_cast<int>(i));
  rows.test_labels = pick(data.labels, rows.split.test);
  return rows;
}

// A row that only one of the two selects has a score near that of the last row selected.
void compare_selection(const SeenStage& ours, const std::vector<int>& theirs, bool first) {
  ASSERT_EQ(ours.selected.size(), theirs.size());
  std::vector<int> differ;
  std::ranges::set_symmetric_difference(ours.selected, theirs, std::back_inserter(differ));
  EXPECT_LE(differ.size(), first ? 2U : 10U);
  float last = 0.0F;
  for (const int row : ours.selected)
    last = std::max(last, ours.scores[static_cast<std::size_t>(row)]);
  for (const int row : differ)
    EXPECT_NEAR(ours.scores[static_cast<std::size_t>(row)], last, kNear) << "row " << row;
}

void compare_stages(const std::vector<SeenStage>& ours, const json& theirs, double one_image) {
  ASSERT_EQ(ours.size(), theirs.size());
  for (std::size_t t = 0; t < ours.size(); ++t) {
    SCOPED_TRACE("stage " + std::to_string(t));
    const bool first = t == 0;
    expect_relative(ours[t].loss, theirs[t]["mean_loss"], first ? kClose : kLater);
    expect_relative(ours[t].vacuity, theirs[t]["mean_vacuity"], first ? kClose : kLater);
    EXPECT_NEAR(mean(ours[t].scores), theirs[t]["mean_score"].get<double>(),
                first ? kCloseScore : kLaterScore);
    EXPECT_NEAR(ours[t].accuracy, theirs[t]["test_accuracy"].get<double>(), one_image + 1e-9);
    compare_selection(ours[t], theirs[t]["selected"], first);
  }
}

// Compares the first rows of logits: the largest difference, and the mean one.
void compare_logits(const Matrix& ours, const json& theirs, double largest, double usual) {
  double sum = 0.0;
  for (std::size_t i = 0; i < theirs.size(); ++i)
    for (std::size_t k = 0; k < ours.cols(); ++k) {
      EXPECT_NEAR(ours(i, k), theirs[i][k].get<double>(), largest) << "row " << i << ", " << k;
      sum += std::abs(ours(i, k) - theirs[i][k].get<double>());
    }
  EXPECT_LE(sum / static_cast<double>(theirs.size() * ours.cols()), usual);
}

class ImageTrajectory : public ::testing::TestWithParam<std::size_t> {};

TEST_P(ImageTrajectory, IsThatOfThePublishedCode) {
  UASPL_NEEDS_TORCH();
  const json run = testing::reference("image_trajectories.json")["runs"].at(GetParam());
  const std::string set = run["set"];
  const auto folder = testing::data_folder();
  if (!folder || !std::filesystem::exists(*folder / set))
    GTEST_SKIP() << "UASPL_DATA names no folder with " << set;
  const Dataset data = image_dataset(
      open_images(set, {{folder->string()}}, {.limit = run["train"], .test_limit = run["test"]}));
  PreparedFit prepared(data, rows_of(data, run), options_of(run));
  Watch watch(prepared);
  prepared.pretrain(&watch);
  const json& losses = run["pretraining_losses"];
  ASSERT_EQ(watch.pretraining.size(), losses.size());
  for (std::size_t i = 0; i < losses.size(); ++i)
    expect_relative(watch.pretraining[i], losses[i], i == 0 ? 1e-5 : i == 1 ? kClose : kLater);
  const Batch test{prepared.inputs(), prepared.rows().split.test};
  compare_logits(prepared.pretrained().logits(test), run["pretrained_test_logits"], 0.005, 0.002);

  const FittedNetwork fitted = prepared.fit(method_of(run), &watch);
  const double one_image = 1.0 / run["test"].get<double>();
  compare_stages(watch.stages, run["stages"], one_image);
  compare_logits(fitted.network->logits(test), run["final_test_logits"], 0.4, 0.06);
  EXPECT_NEAR(prepared.test(*fitted.network).accuracy, run["test_accuracy"].get<double>(),
              one_image + 1e-9);
}

INSTANTIATE_TEST_SUITE_P(Sets, ImageTrajectory, ::testing::Values(0U, 1U));

}  // namespace
}  // namespace uaspl
