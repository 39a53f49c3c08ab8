// The influence of rows' weights on other rows: against a brute-force network in double, which
// takes the trial step and measures.
#include <cmath>

#include "tests/support.hpp"
#include "uaspl/base/error.hpp"
#include "uaspl/loss/cross_entropy.hpp"
#include "uaspl/method/probe.hpp"
#include "uaspl/net/mlp.hpp"

namespace uaspl {
namespace {

double gelu(double z) { return 0.5 * z * std::erfc(-z / std::sqrt(2.0)); }
double gelu_slope(double z) {
  return 0.5 * std::erfc(-z / std::sqrt(2.0)) + z * std::exp(-0.5 * z * z) / std::sqrt(2.0 * M_PI);
}

// A network in double by the definitions: rows one after the other, no blocks.
struct SlowNetwork {
  struct Layer {
    DoubleMatrix weight;
    std::vector<double> bias;
  };
  std::vector<Layer> layers;

  explicit SlowNetwork(const State& state) {
    for (int l = 1; state.contains("fc" + std::to_string(l) + ".weight"); ++l) {
      const Tensor& w = state.at("fc" + std::to_string(l) + ".weight");
      const Tensor& b = state.at("fc" + std::to_string(l) + ".bias");
      layers.push_back({DoubleMatrix(w.shape[0], w.shape[1], {w.values.begin(), w.values.end()}),
                        {b.values.begin(), b.values.end()}});
    }
  }

  // Cross-entropy of a row; adds factor * its gradient to `gradient`, if given.
  double loss(std::span<const float> row, std::size_t label, double factor,
              SlowNetwork* gradient) const {
    std::vector<std::vector<double>> a{{row.begin(), row.end()}};
    std::vector<std::vector<double>> z;
    for (const Layer& layer : layers) {
      z.push_back(layer.bias);
      for (std::size_t o = 0; o < z.back().size(); ++o)
        for (std::size_t i = 0; i < a.back().size(); ++i)
          z.back()[o] += layer.weight(o, i) * a.back()[i];
      a.push_back(z.back());
      for (double& value : a.back()) value = gelu(value);
    }
    const std::vector<double>& out = z.back();
    double sum = 0.0;
    for (const double o : out) sum += std::exp(o);
    if (gradient) {
      std::vector<double> delta = out;
      for (double& d : delta) d = std::exp(d) / sum;
      delta[label] -= 1.0;
      gradient->add(*this, a, z, delta, factor);
    }
    return std::log(sum) - out[label];
  }

  void add(const SlowNetwork& net, const std::vector<std::vector<double>>& a,
           const std::vector<std::vector<double>>& z, std::vector<double> delta, double factor) {
    for (std::size_t l = layers.size(); l-- > 0;) {
      std::vector<double> below(a[l].size());
      for (std::size_t o = 0; o < delta.size(); ++o) {
        layers[l].bias[o] += factor * delta[o];
        for (std::size_t i = 0; i < below.size(); ++i) {
          layers[l].weight(o, i) += factor * delta[o] * a[l][i];
          below[i] += delta[o] * net.layers[l].weight(o, i);
        }
      }
      if (l == 0) break;
      for (std::size_t i = 0; i < below.size(); ++i) below[i] *= gelu_slope(z[l - 1][i]);
      delta = below;
    }
  }
};

// Mean loss of the meta rows after a step of `rate` on the mean of weight * loss.
double meta_loss_after(const SlowNetwork& start, const testing::Clouds& clouds,
                       std::span<const double> weights, std::size_t train, double rate) {
  SlowNetwork moved = start;
  for (std::size_t i = 0; i < train; ++i)
    start.loss(clouds.inputs->row(i), static_cast<std::size_t>(clouds.labels[i]),
               -rate * weights[i] / static_cast<double>(train), &moved);
  double sum = 0.0;
  for (std::size_t i = train; i < clouds.labels.size(); ++i)
    sum +=
        moved.loss(clouds.inputs->row(i), static_cast<std::size_t>(clouds.labels[i]), 0.0, nullptr);
  return sum / static_cast<double>(clouds.labels.size() - train);
}

std::vector<float> influence(const Network& net, const testing::Clouds& clouds, std::size_t train,
                             std::size_t classes, std::span<const double> weights, float rate) {
  const std::span<const int> rows = clouds.rows;
  const std::span<const int> labels = clouds.labels;
  const TrainingSet set{.rows = rows.first(train),
                        .labels = labels.first(train),
                        .classes = classes,
                        .meta_rows = rows.subspan(train),
                        .meta_labels = labels.subspan(train)};
  const Loss loss = cross_entropy();
  const auto step = [&](std::size_t first, const Matrix& logits, Matrix& dlogits) {
    std::vector<float> values(logits.rows());
    loss(logits, set.labels.subspan(first, logits.rows()), values, &dlogits);
    for (std::size_t i = 0; i < logits.rows(); ++i)
      for (float& g : dlogits.row(i))
        g *= static_cast<float>(weights[first + i]) / static_cast<float>(train);
  };
  auto all = Probe(net, set).weight_influence(testing::first_rows(train), step, loss, rate);
  for (float& value : all) value /= static_cast<float>(train);
  return all;
}

void expect_brute_force(std::size_t train, std::size_t meta, const MlpShape& shape, float rate) {
  const auto clouds = testing::make_clouds(train + meta, shape.inputs, shape.classes, 77);
  const Mlp net(clouds.inputs, shape, 3);
  std::vector<double> weights(train);
  for (std::size_t i = 0; i < train; ++i) weights[i] = 0.2 + 0.6 * static_cast<double>(i % 3) / 2;
  const auto fast = influence(net, clouds, train, shape.classes, weights, rate);
  const SlowNetwork slow(net.save());
  std::vector<double> brute(train);
  for (std::size_t i = 0; i < train; ++i) {
    auto moved = weights;
    constexpr double kStep = 1e-3;
    moved[i] = weights[i] + kStep;
    const double up = meta_loss_after(slow, clouds, moved, train, static_cast<double>(rate));
    moved[i] = weights[i] - kStep;
    brute[i] = (up - meta_loss_after(slow, clouds, moved, train, static_cast<double>(rate))) /
               (2.0 * kStep);
  }
  double largest = 0.0;
  for (const double b : brute) largest = std::max(largest, std::abs(b));
  ASSERT_GT(largest, 0.0);
  for (std::size_t i = 0; i < train; ++i)
    EXPECT_NEAR(fast[i], brute[i], 1e-3 * largest) << "row " << i;
}

TEST(Influence, EqualsBruteForceInDouble) {
  expect_brute_force(12, 5, {.inputs = 3, .hidden = {8, 8}, .classes = 2}, 0.1F);
  expect_brute_force(20, 9, {.inputs = 4, .hidden = {17, 5}, .classes = 3}, 0.5F);
  expect_brute_force(8, 3, {.inputs = 2, .hidden = {6}, .classes = 4}, 0.1F);
  expect_brute_force(9, 4, {.inputs = 2, .hidden = {16, 7, 16}, .classes = 2}, 1.0F);
}

TEST(Influence, DoesNotChangeABitOverThreadsNorTheNetwork) {
  const auto clouds = testing::make_clouds(500, 5, 3, 7);
  const std::vector<double> weights(400, 0.5);
  const MlpShape shape{.inputs = 5, .hidden = {32, 32}, .classes = 3};
  const Mlp one(clouds.inputs, shape, 3);
  const auto expected = influence(one, clouds, 400, 3, weights, 0.1F);
  const Mlp three(clouds.inputs, shape, 3, std::make_shared<Workers>(3));
  for (int again = 0; again < 2; ++again)
    EXPECT_EQ(influence(three, clouds, 400, 3, weights, 0.1F), expected);
  const State before = Mlp(clouds.inputs, shape, 3).save();
  for (const auto& [name, tensor] : one.save())
    EXPECT_EQ(tensor.values, before.at(name).values) << name;
}

TEST(SampledLogits, AreDrawnByTheSeedAndMeanTheLogits) {
  const auto clouds = testing::make_clouds(230, 4, 3, 7);
  const Mlp net(clouds.inputs, {.inputs = 4, .hidden = {64, 64}, .classes = 3}, 3);
  const Batch batch{clouds.rows};
  const Matrix plain = net.logits(batch);
  const Matrix once = net.sampled_logits(batch, 0.2F, 5);
  EXPECT_TRUE(std::ranges::equal(once.values(), net.sampled_logits(batch, 0.2F, 5).values()));
  EXPECT_FALSE(std::ranges::equal(once.values(), net.sampled_logits(batch, 0.2F, 6).values()));
  EXPECT_TRUE(std::ranges::equal(plain.values(), net.sampled_logits(batch, 0.0F, 5).values()));
  EXPECT_TRUE(std::ranges::equal(plain.values(), net.logits(batch).values()));
  double mean = 0.0;
  for (std::uint64_t pass = 0; pass < 400; ++pass)
    mean += static_cast<double>(net.sampled_logits({batch.rows.first(1)}, 0.2F, pass)(0, 0)) / 400;
  EXPECT_NEAR(mean, plain(0, 0), 0.05);
}

TEST(Features, AreTheInputs) {
  const auto clouds = testing::make_clouds(10, 4, 3, 7);
  const Mlp net(clouds.inputs, {.inputs = 4, .hidden = {8}, .classes = 3}, 3);
  const Matrix points = net.features({std::vector<int>{7, 2}});
  EXPECT_TRUE(std::ranges::equal(points.row(0), clouds.inputs->row(7)));
  EXPECT_TRUE(std::ranges::equal(points.row(1), clouds.inputs->row(2)));
}

}  // namespace
}  // namespace uaspl
