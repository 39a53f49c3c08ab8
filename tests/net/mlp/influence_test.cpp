// The influence of rows' weights on other rows: against a brute-force network in double, which
// takes the trial step and measures.
#include <atomic>
#include <cmath>
#include <thread>

#include "tests/support.hpp"
#include "uaspl/base/error.hpp"
#include "uaspl/loss/cross_entropy.hpp"
#include "uaspl/method/probe.hpp"
#include "uaspl/method/registry.hpp"
#include "uaspl/method/weight_net.hpp"
#include "uaspl/net/mlp/mlp.hpp"
#include "uaspl/train/trainer.hpp"

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
    start.loss(clouds.points().row(i), static_cast<std::size_t>(clouds.labels[i]),
               -rate * weights[i] / static_cast<double>(train), &moved);
  double sum = 0.0;
  for (std::size_t i = train; i < clouds.labels.size(); ++i)
    sum += moved.loss(clouds.points().row(i), static_cast<std::size_t>(clouds.labels[i]), 0.0,
                      nullptr);
  return sum / static_cast<double>(clouds.labels.size() - train);
}

std::vector<float> influence(const Network& net, const testing::Clouds& clouds, std::size_t train,
                             std::size_t classes, std::span<const double> weights, float rate) {
  const std::span<const int> rows = clouds.rows;
  const std::span<const int> labels = clouds.labels;
  const TrainingSet set{.inputs = &clouds.inputs,
                        .rows = rows.first(train),
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
  const std::vector<int> positions = testing::first_rows(train);
  auto all = Probe(net, set).weight_influence({positions, {.rate = rate}}, step, loss);
  for (float& value : all) value /= static_cast<float>(train);
  return all;
}

void expect_brute_force(std::size_t train, std::size_t meta, const MlpShape& shape, float rate) {
  const auto clouds = testing::make_clouds(train + meta, shape.inputs, shape.classes, 77);
  const Mlp net(shape, 3);
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
  const Mlp one(shape, 3);
  const auto expected = influence(one, clouds, 400, 3, weights, 0.1F);
  const Mlp three(shape, 3, std::make_shared<Workers>(3));
  for (int again = 0; again < 2; ++again)
    EXPECT_EQ(influence(three, clouds, 400, 3, weights, 0.1F), expected);
  const State before = Mlp(shape, 3).save();
  for (const auto& [name, tensor] : one.save())
    EXPECT_EQ(tensor.values, before.at(name).values) << name;
}

// Whoever asks beside: logits, logits with dropout and influences are those of one thread alone.
TEST(InfluenceThreads, ManyThreadsAskOneNetwork) {
  constexpr std::size_t kTrain = 300;
  const auto clouds = testing::make_clouds(700, 5, 3, 9);
  const std::vector<double> weights(kTrain, 0.5);
  const MlpShape shape{.inputs = 5, .hidden = {20, 12}, .classes = 3};
  const Mlp alone(shape, 3);
  const Matrix logits = alone.logits(clouds.batch());
  const Matrix sampled = alone.sampled_logits(clouds.batch(), 0.3F, 5);
  const auto slopes = influence(alone, clouds, kTrain, 3, weights, 0.1F);
  const Mlp shared(shape, 3, std::make_shared<Workers>(2));
  std::atomic<int> wrong{0};
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 6; ++t)
      threads.emplace_back([&, t] {
        const auto differ = [](const Matrix& a, const Matrix& b) {
          return !std::ranges::equal(a.values(), b.values());
        };
        for (int round = 0; round < 12; ++round) {
          if ((round + t) % 3 == 0) wrong += differ(shared.logits(clouds.batch()), logits);
          if ((round + t) % 3 == 1)
            wrong += differ(shared.sampled_logits(clouds.batch(), 0.3F, 5), sampled);
          if ((round + t) % 3 == 2)
            wrong += influence(shared, clouds, kTrain, 3, weights, 0.1F) != slopes;
        }
      });
  }
  EXPECT_EQ(wrong, 0);
}

// As MW-Net does it: judging and stepping by turns, from the first step on.
TEST(Influence, StepsBetweenAreTheSameForAnyNumberOfThreads) {
  constexpr std::size_t kTrain = 400;
  const auto clouds = testing::make_clouds(700, 5, 3, 9);
  const std::vector<double> weights(kTrain, 0.5);
  std::vector<std::vector<float>> expected;
  for (const std::size_t threads : {1U, 2U, 4U}) {
    Mlp net({.inputs = 5, .hidden = {20, 12}, .classes = 3}, 3, std::make_shared<Workers>(threads));
    std::vector<std::vector<float>> seen;
    for (int turn = 0; turn < 3; ++turn) {
      seen.push_back(influence(net, clouds, kTrain, 3, weights, 0.1F));
      net.update({clouds.inputs, testing::first_rows(kTrain)}, {},
                 [&](std::size_t first, const Matrix& logits, Matrix& dlogits) {
                   for (std::size_t i = 0; i < logits.rows(); ++i)
                     for (std::size_t k = 0; k < 3; ++k)
                       dlogits(i, k) =
                           (logits(i, k) - static_cast<float>((first + i) % 3 == k)) / kTrain;
                 });
      seen.push_back(net.save().at("fc2.weight").values);
    }
    if (expected.empty()) expected = seen;
    EXPECT_EQ(seen, expected) << threads;
  }
}

// One step of MW-Net by its definition, in double: V's parameters after it, and the new weights.
TEST(MwNet, OneStepEqualsItsDefinition) {
  constexpr std::size_t kRows = 20;
  constexpr std::size_t kTrain = 16;
  const auto clouds = testing::make_clouds(kRows, 3, 2, 5);
  const Mlp net({.inputs = 3, .hidden = {8, 8}, .classes = 2}, 3);
  // Rows in an order of their own, so that positions and rows differ.
  std::vector<int> rows(kRows);
  std::vector<int> labels(kRows);
  for (std::size_t i = 0; i < kRows; ++i) {
    rows[i] = static_cast<int>((7 * i + 3) % kRows);
    labels[i] = clouds.labels[static_cast<std::size_t>(rows[i])];
  }
  const TrainingSet set{.inputs = &clouds.inputs,
                        .rows = std::span(rows).first(kTrain),
                        .labels = std::span(labels).first(kTrain),
                        .classes = 2,
                        .meta_rows = std::span(rows).subspan(kTrain),
                        .meta_labels = std::span(labels).subspan(kTrain)};
  const auto chosen = choose_methods(std::vector<std::string>{"mw_net"},
                                     std::vector<std::string>{"mw_net.rate=0.05"});
  const auto method = chosen[0].make();
  const Probe probe(net, set, 11);
  const StageRows plan = method->begin_stage({0, 6, 0.25}, probe);
  std::vector<int> positions = testing::first_rows(kTrain);
  std::ranges::reverse(positions);
  const Step step{.rate = 0.3F};
  std::vector<float> weights(kTrain, 1.0F);
  method->weigh({positions, step}, probe, weights);

  Matrix points(kRows, 3);  // as positions have it, then the meta rows
  std::vector<int> labels_in_order;
  for (std::size_t i = 0; i < kRows; ++i) {
    const auto p = i < kTrain ? static_cast<std::size_t>(positions[i]) : i;
    std::ranges::copy(clouds.points().row(static_cast<std::size_t>(rows[p])),
                      points.row(i).begin());
    labels_in_order.push_back(labels[p]);
  }
  const testing::Clouds ordered{Inputs(points), labels_in_order, {}};
  const SlowNetwork slow(net.save());
  std::vector<float> losses(kTrain);
  for (std::size_t i = 0; i < kTrain; ++i)
    losses[i] = static_cast<float>(
        slow.loss(points.row(i), static_cast<std::size_t>(ordered.labels[i]), 0.0, nullptr));
  WeightNet v(100, probe.stream("mw_net"));
  std::vector<float> before(kTrain);
  v.weigh(losses, before);
  std::vector<double> factors(before.begin(), before.end());
  std::vector<float> slopes(kTrain);
  for (std::size_t i = 0; i < kTrain; ++i) {
    constexpr double kStep = 1e-3;
    auto moved = factors;
    moved[i] += kStep;
    const double up = meta_loss_after(slow, ordered, moved, kTrain, 0.3);
    moved[i] -= 2.0 * kStep;
    slopes[i] =
        static_cast<float>((up - meta_loss_after(slow, ordered, moved, kTrain, 0.3)) / (2 * kStep));
  }
  v.step(v.gradient(losses, slopes), 0.05, 1e-4);
  std::vector<float> after(kTrain);
  v.weigh(losses, after);
  double change = 0.0;
  for (std::size_t i = 0; i < kTrain; ++i) {
    EXPECT_NEAR(weights[i], after[i], 1e-3) << i;
    change = std::max(change, std::abs(static_cast<double>(after[i]) - before[i]));
  }
  EXPECT_GT(change, 0.05);  // so that a wrong sign would show
}

TEST(MwNet, MislabelledRowsEndWithLessWeight) {
  auto clouds = testing::make_clouds(400, 3, 2, 15);
  Matrix points = clouds.points();
  for (std::size_t i = 0; i < 400; ++i)  // classes far apart
    for (float& x : points.row(i)) x = 0.5F * x + (clouds.labels[i] == 0 ? -1.0F : 1.0F);
  clouds.inputs = Inputs(std::move(points));
  std::vector<int> labels = clouds.labels;
  for (std::size_t i = 0; i < 300; i += 5) labels[i] = 1 - labels[i];  // a fifth of the train rows
  Mlp net({.inputs = 3, .hidden = {16, 16}, .classes = 2}, 3);
  const TrainingSet set{.inputs = &clouds.inputs,
                        .rows = std::span(clouds.rows).first(300),
                        .labels = std::span(labels).first(300),
                        .classes = 2,
                        .meta_rows = std::span(clouds.rows).subspan(300),
                        .meta_labels = std::span(labels).subspan(300)};
  class Last final : public Observer {
   public:
    void on_step(const Visit&, std::span<const float> weights) override {
      last.assign(weights.begin(), weights.end());
    }
    std::vector<float> last;
  } seen;
  const auto chosen = choose_methods(std::vector<std::string>{"mw_net"},
                                     std::vector<std::string>{"mw_net.rate=0.02"});
  fit(net, *chosen[0].make(), set, {.stages = 1, .passes = 150, .step = {}, .seed = 1}, &seen);
  ASSERT_EQ(seen.last.size(), 300U);  // meta rows were given: nothing is split off
  double clean = 0.0;
  double wrong = 0.0;
  for (std::size_t i = 0; i < 300; ++i)
    (i % 5 == 0 ? wrong : clean) += static_cast<double>(seen.last[i]) / (i % 5 == 0 ? 60 : 240);
  EXPECT_LT(wrong, 0.8 * clean) << wrong << " against " << clean;
}

TEST(SampledLogits, AreDrawnByTheSeedAndMeanTheLogits) {
  const auto clouds = testing::make_clouds(230, 4, 3, 7);
  const Mlp net({.inputs = 4, .hidden = {64, 64}, .classes = 3}, 3);
  const Batch batch = clouds.batch();
  const Matrix plain = net.logits(batch);
  const Matrix once = net.sampled_logits(batch, 0.2F, 5);
  EXPECT_TRUE(std::ranges::equal(once.values(), net.sampled_logits(batch, 0.2F, 5).values()));
  EXPECT_FALSE(std::ranges::equal(once.values(), net.sampled_logits(batch, 0.2F, 6).values()));
  EXPECT_TRUE(std::ranges::equal(plain.values(), net.sampled_logits(batch, 0.0F, 5).values()));
  EXPECT_TRUE(std::ranges::equal(plain.values(), net.logits(batch).values()));
  double mean = 0.0;
  for (std::uint64_t pass = 0; pass < 400; ++pass)
    mean += static_cast<double>(
                net.sampled_logits({clouds.inputs, batch.rows.first(1)}, 0.2F, pass)(0, 0)) /
            400;
  EXPECT_NEAR(mean, plain(0, 0), 0.05);
}

TEST(Features, AreTheInputs) {
  const auto clouds = testing::make_clouds(10, 4, 3, 7);
  const Mlp net({.inputs = 4, .hidden = {8}, .classes = 3}, 3);
  const Matrix points = net.features({clouds.inputs, std::vector<int>{7, 2}});
  EXPECT_TRUE(std::ranges::equal(points.row(0), clouds.points().row(7)));
  EXPECT_TRUE(std::ranges::equal(points.row(1), clouds.points().row(2)));
}

}  // namespace
}  // namespace uaspl
