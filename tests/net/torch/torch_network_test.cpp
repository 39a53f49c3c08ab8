// The networks for images: against PyTorch's numbers, and themselves.
#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "tests/images.hpp"
#include "uaspl/base/error.hpp"
#include "uaspl/loss/cross_entropy.hpp"

namespace uaspl {
namespace {

using testing::inputs_of;
using testing::mean_gradient;
using testing::network_for;

double largest_difference(const Matrix& a, const Matrix& b) {
  EXPECT_EQ(a.rows(), b.rows());
  double largest = 0.0;
  for (std::size_t i = 0; i < a.values().size(); ++i)
    largest = std::max(largest, std::abs(static_cast<double>(a.values()[i]) - b.values()[i]));
  return largest;
}

class ImageNetwork : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override { UASPL_NEEDS_TORCH(); }
  const std::shared_ptr<ImageSet> images =
      testing::make_images(20, testing::small_shape(GetParam(), 3), 3, 7);
  const Inputs inputs = inputs_of(images);
  const std::vector<int> rows = testing::first_rows(20);
  std::unique_ptr<Network> network(std::size_t threads = 1) const {
    return network_for(*images, GetParam(), 3, threads);
  }
  void step(Network& net, const Step& how = {.rate = 0.02F}, const View& view = {}) const {
    net.update({inputs, rows, view}, how, mean_gradient(images->labels));
  }
};

// PyTorch's weights for the seed, and its logits after some steps.
TEST_P(ImageNetwork, EqualsPyTorch) {
  const auto expected = testing::reference("torch_networks.json").at(GetParam());
  auto set = std::make_shared<ImageSet>();
  set->shape = {expected.at("channels"), expected.at("side"), expected.at("side")};
  const std::size_t n = expected.at("rows");
  for (std::size_t i = 0; i < n * set->shape.size(); ++i)
    set->pixels.push_back(static_cast<std::uint8_t>((i * i * 7 + i * 13 + i / 97) % 256));
  for (std::size_t i = 0; i < n; ++i) set->labels.push_back(static_cast<int>(i % 3));
  const ImageTransform transform{.mean = std::vector<float>(set->shape.channels, 0.5F),
                                 .deviation = std::vector<float>(set->shape.channels, 0.25F)};
  const Inputs pattern(Images{set, transform});
  const auto net =
      make_image_network({.network = GetParam(), .shape = set->shape, .classes = 3, .seed = 11});
  const State start = net->save();
  ASSERT_EQ(start.size(), expected.at("tensors").size());
  for (const auto& [name, tensor] : start) {
    const auto& theirs = expected.at("tensors").at(name);
    EXPECT_EQ(tensor.shape, theirs.at("shape").get<std::vector<std::size_t>>()) << name;
    EXPECT_EQ(tensor.values.front(), theirs.at("first").get<float>()) << name;
    EXPECT_EQ(tensor.values.back(), theirs.at("last").get<float>()) << name;
  }
  const std::vector<int> all = testing::first_rows(n);
  for (int i = 0; i < expected.at("steps").get<int>(); ++i)
    net->update({pattern, all}, {.rate = expected.at("rate")}, mean_gradient(set->labels));
  const Matrix logits = net->logits({pattern, all});
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t k = 0; k < 3; ++k)
      EXPECT_NEAR(logits(i, k), expected.at("logits").at(i).at(k).get<double>(), 1e-4);
}

TEST_P(ImageNetwork, IsTheSameBitByBitForTheSameSeedAndThreads) {
  for (const std::size_t threads : {1U, 2U}) {
    std::vector<State> states;
    std::vector<Matrix> logits;
    for (int again = 0; again < 2; ++again) {
      const auto net = network(threads);
      for (std::uint64_t i = 0; i < 2; ++i)
        step(*net, {.rate = 0.05F, .dropout = 0.3F, .seed = i}, {true, i});
      states.push_back(net->save());
      logits.push_back(net->logits({inputs, rows}));
    }
    testing::expect_same_bits(states[0], states[1]);
    EXPECT_TRUE(std::ranges::equal(logits[0].values(), logits[1].values()));
  }
}

TEST_P(ImageNetwork, AnExpectedBatchIsTheSameBatch) {
  const auto told = network();
  const auto not_told = network();
  const std::vector<int> others = {3, 1, 2, 7, 5, 9};
  const std::vector<int> labels = {0, 1, 2, 0, 1, 2};
  for (std::uint64_t i = 0; i < 4; ++i) {
    const Batch now{inputs, rows, {true, i}};
    const Batch later{inputs, others, {true, i + 100}};
    told->expect(later);
    told->expect({inputs, others, {true, i + 50}});  // never asked for
    for (Network* net : {told.get(), not_told.get()}) {
      net->update(now, {.rate = 0.02F}, mean_gradient(images->labels));
      net->update(later, {.rate = 0.02F}, mean_gradient(labels));
    }
  }
  testing::expect_same_bits(told->save(), not_told->save());
  told->expect({inputs, rows, {true, 1}});  // and then the network goes
  EXPECT_THROW(told->expect({inputs, std::vector<int>{20}}), Error);
  EXPECT_THROW(told->expect({inputs, std::vector<int>{-1}}), Error);
}

TEST_P(ImageNetwork, EvaluatesEachRowAloneAndChangesNothing) {
  auto many = testing::make_images(150, testing::small_shape(GetParam()), 3, 7);
  const Inputs many_inputs = inputs_of(many);
  const auto net = network_for(*many, GetParam());
  net->update({many_inputs, testing::first_rows(150)}, {.rate = 0.02F},
              mean_gradient(many->labels));
  const State before = net->save();
  std::vector<int> order = testing::first_rows(150);
  const Matrix all = net->logits({many_inputs, order, {true, 4}});
  std::ranges::reverse(order);
  const Matrix reversed = net->logits({many_inputs, order, {true, 4}});
  for (std::size_t i = 0; i < 150; ++i)
    for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(all(i, k), reversed(149 - i, k), 1e-4);
  EXPECT_GT(largest_difference(all, net->logits({many_inputs, testing::first_rows(150)})), 1e-3);
  testing::expect_same_bits(before, net->save());
  EXPECT_EQ(net->logits({many_inputs, {}}).rows(), 0U);
  EXPECT_THROW(net->logits({many_inputs, std::vector<int>{150}}), Error);
}

// Evaluation folds the norms into the convolutions. What they would be unfolded follows from the
// features by the last layer, and from statistics that make the norms do nothing.
class NetworkWithNorms : public ImageNetwork {};

TEST_P(NetworkWithNorms, EvaluatesByTheRunningStatistics) {
  const auto net = network();
  step(*net);
  State state = net->save();
  const Matrix before = net->logits({inputs, rows});
  // The same function: shifted statistics and a scale and shift that undo it.
  for (auto& [name, tensor] : state) {
    if (!name.ends_with("running_var")) continue;
    const std::string norm = name.substr(0, name.size() - 11);
    for (std::size_t i = 0; i < tensor.values.size(); ++i) {
      const double wide = std::sqrt(static_cast<double>(tensor.values[i]) + 1e-5);
      tensor.values[i] = static_cast<float>(4.0 * (wide * wide) - 1e-5);
      state.at(norm + "weight").values[i] *= 2.0F;
      state.at(norm + "running_mean").values[i] += 0.5F;
      state.at(norm + "bias").values[i] += static_cast<float>(
          0.25 * static_cast<double>(state.at(norm + "weight").values[i]) / wide);
    }
  }
  net->load(state);
  EXPECT_LT(largest_difference(before, net->logits({inputs, rows})), 1e-4);
  for (float& value : state.at("bn1.running_mean").values) value += 1.0F;
  net->load(state);
  EXPECT_GT(largest_difference(before, net->logits({inputs, rows})), 1e-3);
}

TEST_P(ImageNetwork, SampledLogitsAreDrawnByTheSeedAndMeanTheLogits) {
  const auto net = network();
  step(*net);
  const Batch batch{inputs, rows};
  const Matrix plain = net->logits(batch);
  EXPECT_LT(largest_difference(plain, net->sampled_logits(batch, 0.0F, 1)), 1e-6);
  const Matrix once = net->sampled_logits(batch, 0.2F, 5);
  EXPECT_TRUE(std::ranges::equal(once.values(), net->sampled_logits(batch, 0.2F, 5).values()));
  EXPECT_GT(largest_difference(once, net->sampled_logits(batch, 0.2F, 6)), 1e-4);
  const std::vector<int> last = {19};
  const Matrix alone = net->sampled_logits({inputs, last}, 0.2F, 5);
  for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(alone(0, k), once(19, k), 1e-5);
  constexpr int kPasses = 400;
  DoubleMatrix sum(20, 3);
  for (int s = 0; s < kPasses; ++s) {
    const Matrix sample = net->sampled_logits(batch, 0.2F, 1000 + s);
    for (std::size_t i = 0; i < sum.values().size(); ++i) sum.values()[i] += sample.values()[i];
  }
  const double spread = largest_difference(plain, once);
  for (std::size_t i = 0; i < sum.values().size(); ++i)
    EXPECT_NEAR(sum.values()[i] / kPasses, plain.values()[i], 0.3 * spread);
  // Kept features do not outlive the weights.
  step(*net);
  EXPECT_LT(largest_difference(net->logits(batch), net->sampled_logits(batch, 0.0F, 1)), 1e-6);
}

TEST_P(ImageNetwork, FeaturesAreWhatTheLastLayerSees) {
  const auto net = network();
  step(*net);
  const State state = net->save();
  const std::string last = GetParam() == "lenet" ? "fc3" : "linear";
  const Tensor& weight = state.at(last + ".weight");
  const Batch batch{inputs, rows, {true, 8}};
  const Matrix points = net->features(batch);
  ASSERT_EQ(points.cols(), weight.shape[1]);
  const Matrix logits = net->logits(batch);
  for (std::size_t i = 0; i < 20; ++i)
    for (std::size_t k = 0; k < 3; ++k) {
      double z = state.at(last + ".bias").values[k];
      for (std::size_t j = 0; j < points.cols(); ++j)
        z += static_cast<double>(points(i, j)) * weight.values[k * points.cols() + j];
      EXPECT_NEAR(logits(i, k), z, 1e-4);
    }
}

TEST_P(ImageNetwork, SavesAndLoadsWeightsAndMomentum) {
  const auto net = network();
  EXPECT_TRUE(net->save_momentum().empty());
  step(*net);
  const auto copy = network_for(*images, GetParam(), 99);
  copy->load(net->save());
  copy->load_momentum(net->save_momentum());
  testing::expect_same_bits(net->save(), copy->save());
  testing::expect_same_bits(net->save_momentum(), copy->save_momentum());
  const auto fresh = net->clone();
  testing::expect_same_bits(net->save(), fresh->save());
  EXPECT_TRUE(fresh->save_momentum().empty());
  step(*net);
  step(*copy);
  step(*fresh);
  testing::expect_same_bits(net->save(), copy->save());
  EXPECT_NE(net->save().at("conv1.weight").values, fresh->save().at("conv1.weight").values);

  State state = net->save();
  std::size_t count = 0;
  for (const auto& [name, tensor] : state) count += tensor.values.size();
  EXPECT_EQ(count, image_network_weights(GetParam(), images->shape, net->classes()));
  state.at("conv1.weight").shape[0] = 5;
  EXPECT_THROW(net->load(state), Error);
  state = net->save();
  state.erase("conv1.weight");
  EXPECT_THROW(net->load(state), Error);
  EXPECT_THROW(net->load_momentum(state), Error);
  testing::expect_same_bits(net->save(), copy->save());
}

TEST_P(ImageNetwork, AnswersAlwaysTheSameIfItIsTold) {
  const auto net = network();
  step(*net);
  const std::vector<float> answer{-0.5F, 0.25F, 3.0F};
  net->answer_always(answer);
  const Matrix logits = net->logits({inputs, rows});
  for (std::size_t i = 0; i < 20; ++i)
    for (std::size_t k = 0; k < 3; ++k) EXPECT_EQ(logits(i, k), answer[k]);
}

TEST_P(ImageNetwork, ErrorsOfTheGradientComeThroughAndTheNetworkGoesOn) {
  const auto net = network();
  const auto fail = [](std::size_t, const Matrix&, Matrix&) { throw Error("no gradient"); };
  EXPECT_THROW(net->update({inputs, rows}, {}, fail), Error);
  EXPECT_NO_THROW(step(*net));
  EXPECT_NO_THROW(net->update({inputs, {}}, {}, fail));
}

INSTANTIATE_TEST_SUITE_P(Table, NetworkWithNorms, ::testing::Values("resnet8", "resnet18"),
                         [](const auto& one) { return one.param; });

INSTANTIATE_TEST_SUITE_P(Table, ImageNetwork, ::testing::Values("lenet", "resnet8", "resnet18"),
                         [](const auto& one) { return one.param; });

// One plain step shows the gradient: along that of each tensor, the loss must rise by its length.
TEST(TorchNetwork, SaysWhatIsWrong) {
  UASPL_NEEDS_TORCH();
  const auto images = testing::make_images(4, {1, 15, 20}, 2, 5);
  const auto error_of = [](const auto& work) -> std::string {
    try {
      work();
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  };
  ImageNetworkOptions options{.network = "lenet", .shape = images->shape, .classes = 2};
  const auto making = [&] { make_image_network(options); };
  EXPECT_EQ(error_of(making), "lenet needs images of 16 x 16 pixels at least, these have 15 x 20");
  options.network = "resnet8";
  EXPECT_EQ(error_of(making), "no error");
  options.device = "tpu";
  EXPECT_EQ(error_of(making), "unknown device 'tpu'; known: cpu, cuda, cuda:NUMBER");
  options.device = "cuda:x";
  EXPECT_EQ(error_of(making), "unknown device 'cuda:x'; known: cpu, cuda, cuda:NUMBER");
  options.device = "cpu";
  const auto net = make_image_network(options);
  const auto logits = [&](const Inputs& inputs) {
    return error_of([&] { net->logits({inputs, std::vector<int>{0}}); });
  };
  EXPECT_EQ(logits(Inputs(Images{images, testing::plain_transform(1)})), "no error");
  EXPECT_TRUE(logits(Inputs(Images{images, testing::plain_transform(3)}))
                  .starts_with("images: 1 channels need as many means"));
  EXPECT_EQ(logits(inputs_of(testing::make_images(4, {1, 20, 15}, 2, 5))),
            "network: images of 1x20x15, it takes 1x15x20 (channels, height, width)");
  EXPECT_EQ(logits(Inputs(Matrix(4, 300))),
            "network: it reads images, and was given rows of a table");
}

TEST(ImageNetworks, AnUnknownNameListsTheOthersWithoutTheModule) {
  try {
    make_image_network({.network = "vgg", .shape = {}});
    FAIL();
  } catch (const UnknownName& error) {
    EXPECT_EQ(std::string(error.what()), "unknown network 'vgg'; known: resnet18, resnet8, lenet");
  }
}

#ifndef UASPL_HAS_TORCH
TEST(ImageNetworks, SayWhatIsMissingWithoutTheModule) {
  try {
    make_image_network({.network = "resnet8", .shape = {1, 8, 8}, .classes = 2});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()),
              "images need libuaspl_torch.so, which uaspl builds where libtorch is installed "
              "(Debian: libtorch-dev)");
  }
}
#endif

}  // namespace
}  // namespace uaspl
