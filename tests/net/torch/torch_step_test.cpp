// Steps of the networks for images against numeric derivatives and definitions, the influence of
// rows on a step, and what training keeps in memory.
#include <malloc.h>

#include <algorithm>
#include <cmath>

#include "tests/images.hpp"
#include "uaspl/method/registry.hpp"
#include "uaspl/train/trainer.hpp"

namespace uaspl {
namespace {

using testing::inputs_of;
using testing::mean_gradient;
using testing::mean_loss;
using testing::network_for;

TEST(TorchNetwork, AStepGoesAlongTheNumericGradient) {
  UASPL_NEEDS_TORCH();
  const auto images = testing::make_images(8, {1, 16, 16}, 3, 5);
  const Inputs inputs = inputs_of(images);
  const auto rows = testing::first_rows(8);
  const auto net = network_for(*images, "lenet");
  const State start = net->save();
  net->update({inputs, rows}, {.rate = 1.0F, .momentum = 0.0F, .decay = 0.0F},
              mean_gradient(images->labels));
  const State after = net->save();
  for (const auto& [name, tensor] : start) {
    std::vector<double> gradient;
    double squares = 0.0;
    for (std::size_t i = 0; i < tensor.values.size(); ++i) {
      gradient.push_back(static_cast<double>(tensor.values[i]) - after.at(name).values[i]);
      squares += gradient.back() * gradient.back();
    }
    const double length = std::sqrt(squares);
    ASSERT_GT(length, 1e-3) << name;
    const double reach = 1e-5 / length;  // few maxima change sides so near, and floats still tell
    double sides[2];
    for (const int side : {0, 1}) {
      State moved = start;
      for (std::size_t i = 0; i < gradient.size(); ++i)
        moved.at(name).values[i] +=
            static_cast<float>((side == 0 ? -reach : reach) * gradient[i] / length);
      net->load(moved);
      sides[side] = mean_loss(net->logits({inputs, rows}), images->labels);
    }
    EXPECT_NEAR((sides[1] - sides[0]) / (2.0 * reach), length, 0.01 * length) << name;
  }
}

// Momentum and decay by their definition, from the gradients that plain steps show.
TEST(TorchNetwork, StepsAsTorchOptimSgd) {
  UASPL_NEEDS_TORCH();
  const auto images = testing::make_images(8, {1, 16, 16}, 3, 5);
  const Inputs inputs = inputs_of(images);
  const auto rows = testing::first_rows(8);
  const auto net = network_for(*images, "lenet");
  const auto probe = net->clone();
  std::map<std::string, std::vector<double>> buffer;
  for (int i = 0; i < 3; ++i) {
    const State before = net->save();
    probe->load(before);
    probe->update({inputs, rows}, {.rate = 1.0F, .momentum = 0.0F, .decay = 0.0F},
                  mean_gradient(images->labels));
    const State moved = probe->save();
    net->update({inputs, rows}, {.rate = 0.1F, .momentum = 0.9F, .decay = 0.01F},
                mean_gradient(images->labels));
    for (const auto& [name, tensor] : net->save()) {
      auto& b = buffer[name];
      b.resize(tensor.values.size());
      for (std::size_t j = 0; j < b.size(); ++j) {
        const double w = before.at(name).values[j];
        const double g = w - moved.at(name).values[j] + 0.01 * w;
        b[j] = i == 0 ? g : 0.9 * b[j] + g;
        ASSERT_NEAR(tensor.values[j], w - 0.1 * b[j], 1e-6) << name;
      }
    }
  }
}

// Of the network as a step would see it, norms by the batch; a step of rate 0 leaves it as it is.
double loss_of_step(Network& net, const Batch& batch, std::span<const int> labels) {
  double loss = 0.0;
  net.update(batch, {.rate = 0.0F}, [&](std::size_t, const Matrix& logits, Matrix& dlogits) {
    loss = mean_loss(logits, labels);
    std::ranges::fill(dlogits.values(), 0.0F);
  });
  return loss;
}

class InfluenceOf : public ::testing::TestWithParam<std::string> {};

TEST_P(InfluenceOf, IsTheSlopeOfTheJudgingLoss) {
  UASPL_NEEDS_TORCH();
  constexpr std::size_t kTrain = 6;
  const float rate = GetParam() == "lenet" ? 0.5F : 0.02F;
  const auto images = testing::make_images(10, {1, 16, 16}, 3, 5);
  const Inputs inputs = inputs_of(images);
  const auto all = testing::first_rows(10);
  const std::span<const int> rows = all;
  const std::span<const int> labels = images->labels;
  const auto net = network_for(*images, GetParam());
  const View view{true, 3};
  const auto train_labels = labels.first(kTrain);
  const auto meta_labels = labels.subspan(kTrain);
  const std::vector<float> weights = {0.2F, 0.5F, 0.8F, 0.2F, 0.5F, 0.8F};
  const State before = net->save();
  auto influence =
      net->weight_influence({.train = {inputs, rows.first(kTrain), view},
                             .train_step = mean_gradient(train_labels, weights),
                             .train_row =
                                 [&](std::size_t, const Matrix& logits, Matrix& dlogits) {
                                   std::vector<float> losses(logits.rows());
                                   cross_entropy()(logits, train_labels, losses, &dlogits);
                                 },
                             .meta = {inputs, rows.subspan(kTrain)},
                             .meta_mean = mean_gradient(meta_labels),
                             .rate = rate});
  testing::expect_same_bits(before, net->save());
  std::vector<double> brute(kTrain);
  double largest = 0.0;
  for (std::size_t i = 0; i < kTrain; ++i) {
    constexpr float kReach = 0.5F;
    double sides[2];
    for (const int side : {0, 1}) {
      auto moved = weights;
      moved[i] += side == 0 ? -kReach : kReach;
      const auto trial = net->clone();
      trial->update({inputs, rows.first(kTrain), view},
                    {.rate = rate, .momentum = 0.0F, .decay = 0.0F},
                    mean_gradient(train_labels, moved));
      sides[side] = loss_of_step(*trial, {inputs, rows.subspan(kTrain)}, meta_labels);
    }
    brute[i] = (sides[1] - sides[0]) / (2.0 * kReach);
    largest = std::max(largest, std::abs(brute[i]));
  }
  ASSERT_GT(largest, 1e-4);
  for (std::size_t i = 0; i < kTrain; ++i)
    EXPECT_NEAR(influence[i] / kTrain, brute[i], 0.05 * largest) << i;
}

INSTANTIATE_TEST_SUITE_P(Table, InfluenceOf, ::testing::Values("lenet", "resnet8"),
                         [](const auto& one) { return one.param; });

// With norms by the batch, running statistics included, nothing of the network moves.
TEST(TorchNetwork, InfluenceLeavesNormsAlone) {
  UASPL_NEEDS_TORCH();
  const auto images = testing::make_images(10, {3, 8, 8}, 3, 5);
  const Inputs inputs = inputs_of(images);
  const auto all = testing::first_rows(10);
  const std::span<const int> rows = all;
  const std::span<const int> labels = images->labels;
  for (const char* name : {"resnet8", "resnet18"}) {
    const auto net = network_for(*images, name);
    const State before = net->save();
    const auto gradient = mean_gradient(labels.first(6));
    const Trial trial{.train = {inputs, rows.first(6), {true, 3}},
                      .train_step = gradient,
                      .train_row = gradient,
                      .meta = {inputs, rows.subspan(6)},
                      .meta_mean = mean_gradient(labels.subspan(6)),
                      .rate = 0.1F};
    const auto first = net->weight_influence(trial);
    for (const float value : first) EXPECT_TRUE(std::isfinite(value) && value != 0.0F) << value;
    EXPECT_EQ(first, net->weight_influence(trial));
    testing::expect_same_bits(before, net->save());
  }
}

// Bytes that are in use when each stage ends.
class MemoryWatch final : public Observer {
 public:
  void on_stage_end(const StageTrace&, const Probe&) override {
    const auto all = ::mallinfo2();
    in_use.push_back(static_cast<double>(all.uordblks + all.hblkhd));
  }
  std::vector<double> in_use;
};

TEST(TorchNetwork, MemoryDoesNotGrowWithStages) {
  UASPL_NEEDS_TORCH();
  const auto images = testing::make_images(96, {1, 16, 16}, 3, 5);
  const Inputs inputs = inputs_of(images);
  const auto rows = testing::first_rows(96);
  const auto net = network_for(*images, "resnet8");
  const TrainingSet set{&inputs, rows, images->labels, 3};
  MemoryWatch watch;
  const Training training{.stages = 12, .passes = 1, .batch = 32, .step = {}, .augmented = true};
  const auto method = choose_methods(std::vector<std::string>{"direct"}, {}).front().make();
  fit(*net, *method, set, training, &watch);
  ASSERT_EQ(watch.in_use.size(), 12U);
  // The first stages fill what is kept; one state of the network would be 0.3 MB. (Steps of new
  // sizes, which other methods have, bring new code of oneDNN.)
  EXPECT_NEAR(watch.in_use[11], watch.in_use[3], 1e5);
}

}  // namespace
}  // namespace uaspl
