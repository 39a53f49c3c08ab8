// The native network: PyTorch's initial weights, gradients against a slow network, the same bits
// always.
#include "uaspl/net/mlp/mlp.hpp"

#include <cmath>
#include <optional>

#include "tests/support.hpp"
#include "uaspl/base/error.hpp"
#include "uaspl/loss/loss.hpp"

namespace uaspl {
namespace {

using testing::first_rows;

struct Trained {
  std::vector<float> losses;
  State state;
};

// Some steps of the evidential loss on random data.
Trained train(std::size_t n, const MlpShape& shape, std::size_t threads, int steps,
              float dropout = 0.0F) {
  const Inputs inputs(testing::random_matrix(n, shape.inputs, 1, 2.0));
  const auto labels = testing::random_labels(n, shape.classes, 2);
  const auto rows = first_rows(n);
  Mlp net(shape, 2025, threads > 1 ? std::make_shared<Workers>(threads) : nullptr);
  const Loss loss = find_loss("uaspl").make(Evidence::kSoftplus);
  Trained trained;
  trained.losses.resize(n);
  for (int s = 0; s < steps; ++s) {
    net.update({inputs, rows}, {.dropout = dropout, .seed = static_cast<std::uint64_t>(s)},
               [&](std::size_t first, const Matrix& logits, Matrix& dlogits) {
                 loss(logits, std::span(labels).subspan(first, logits.rows()),
                      std::span(trained.losses).subspan(first, logits.rows()), &dlogits);
                 for (float& g : dlogits.values()) g /= static_cast<float>(n);
               });
  }
  trained.state = net.save();
  return trained;
}

void expect_same(const State& a, const State& b) {
  ASSERT_EQ(a.size(), b.size());
  for (const auto& [name, tensor] : a) EXPECT_EQ(tensor.values, b.at(name).values) << name;
}

// Whoever computes it; and the next step is as if nothing had been.
TEST(Mlp, AnErrorInABlockEndsTheStepOfAllThreads) {
  constexpr std::size_t kRows = 700;
  const Inputs inputs(testing::random_matrix(kRows, 5, 1, 2.0));
  const auto rows = first_rows(kRows);
  const auto spread = [](std::size_t first, const Matrix& logits, Matrix& dlogits) {
    for (std::size_t i = 0; i < logits.rows(); ++i)
      for (std::size_t k = 0; k < 2; ++k)
        dlogits(i, k) = (first + i) % 2 == k ? 1e-3F * logits(i, 0) : 0.0F;
  };
  for (const std::size_t threads : {1U, 2U, 4U}) {
    Mlp net({.inputs = 5, .classes = 2}, 2025, std::make_shared<Workers>(threads));
    const auto step = [&](std::size_t bad_row) {
      net.update({inputs, rows}, {}, [&](std::size_t first, const Matrix& logits, Matrix& dlogits) {
        if (bad_row >= first && bad_row < first + logits.rows()) throw Error("bad row");
        spread(first, logits, dlogits);
      });
    };
    for (const std::size_t bad_row : {0U, 350U, 699U}) EXPECT_THROW(step(bad_row), Error);
    EXPECT_TRUE(net.save_momentum().empty());
    step(kRows);
    Mlp fresh({.inputs = 5, .classes = 2}, 2025);
    fresh.update({inputs, rows}, {}, spread);
    expect_same(net.save(), fresh.save());
    expect_same(net.save_momentum(), fresh.save_momentum());
  }
}

TEST(Mlp, DrawsPyTorchsInitialWeightsBitForBit) {
  const auto golden = testing::reference("numerics.json")["init"];
  ASSERT_EQ(golden.size(), 4U);
  for (const auto& one : golden) {
    const std::size_t d = one["d"];
    const MlpShape shape{.inputs = d, .classes = one["classes"]};
    const State state = Mlp(shape, one["seed"]).save();
    ASSERT_EQ(state.size(), one["parameters"].size());
    for (const auto& [name, expected] : one["parameters"].items()) {
      const Tensor& tensor = state.at(name);
      EXPECT_EQ(tensor.shape, expected["shape"].get<std::vector<std::size_t>>()) << name;
      const auto first = expected["first"].get<std::vector<float>>();
      const auto last = expected["last"].get<std::vector<float>>();
      EXPECT_TRUE(std::equal(first.begin(), first.end(), tensor.values.begin())) << name;
      EXPECT_TRUE(std::equal(last.rbegin(), last.rend(), tensor.values.rbegin())) << name;
      double sum = 0.0;
      double sum_abs = 0.0;
      for (const float w : tensor.values) sum += w, sum_abs += std::abs(w);
      EXPECT_NEAR(sum, double(expected["sum"]), 1e-9) << name;
      EXPECT_NEAR(sum_abs, double(expected["sum_abs"]), 1e-9) << name;
    }
  }
}

TEST(Mlp, LogitsEqualTheSlowNetwork) {
  for (const auto& hidden : {std::vector<std::size_t>{128, 128}, {1}, {7, 33, 20}, {160}}) {
    for (const std::size_t n : {1U, 96U, 97U, 250U}) {
      const MlpShape shape{.inputs = 9, .hidden = hidden, .classes = 3};
      const Inputs inputs(testing::random_matrix(n, 9, 1, 2.0));
      const Mlp net(shape, 7);
      const Matrix logits = net.logits({inputs, first_rows(n)});
      const DoubleMatrix expected = testing::slow_logits(net.save(), inputs.matrix());
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t k = 0; k < 3; ++k) ASSERT_NEAR(logits(i, k), expected(i, k), 2e-6);
    }
  }
}

// A step of rate 1 without momentum and decay leaves w - gradient; compared with central
// differences of the mean loss of the slow network, for every parameter of small networks of
// several depths.
TEST(Mlp, GradientsEqualCentralDifferencesOfTheSlowNetwork) {
  for (const auto& hidden : {std::vector<std::size_t>{5}, {6, 4}, {3, 18, 4}}) {
    constexpr std::size_t kRows = 23;
    const MlpShape shape{.inputs = 4, .hidden = hidden, .classes = 3};
    const Inputs inputs(testing::random_matrix(kRows, 4, 1, 2.0));
    const auto labels = testing::random_labels(kRows, 3, 2);
    const Loss loss = find_loss("uaspl").make(Evidence::kSoftplus);
    Mlp net(shape, 3);
    State state = net.save();
    std::vector<float> values(kRows);
    net.update({inputs, first_rows(kRows)}, {.rate = 1.0F, .momentum = 0.0F, .decay = 0.0F},
               [&](std::size_t, const Matrix& logits, Matrix& dlogits) {
                 loss(logits, labels, values, &dlogits);
                 for (float& g : dlogits.values()) g /= static_cast<float>(kRows);
               });
    const State after = net.save();
    const auto mean_loss = [&](const State& at) {
      std::vector<double> each(kRows);
      loss(testing::slow_logits(at, inputs.matrix()), labels, each, nullptr);
      return std::accumulate(each.begin(), each.end(), 0.0) / kRows;
    };
    for (auto& [name, tensor] : state) {
      for (std::size_t i = 0; i < tensor.values.size(); ++i) {
        const float w = tensor.values[i];
        const float step = 1.0F / 1024;
        tensor.values[i] = w + step;
        const double up = static_cast<double>(tensor.values[i]);
        const double high = mean_loss(state);
        tensor.values[i] = w - step;
        const double width = up - static_cast<double>(tensor.values[i]);
        const double slope = (high - mean_loss(state)) / width;
        tensor.values[i] = w;
        const double gradient =
            static_cast<double>(w) - static_cast<double>(after.at(name).values[i]);
        ASSERT_NEAR(gradient, slope, 2e-6 + 1e-4 * std::abs(slope)) << name << " " << i;
      }
    }
  }
}

TEST(Mlp, ThreadsDoNotChangeABit) {
  for (const auto& [n, shape] : {std::pair<std::size_t, MlpShape>{40, {6, {40, 24}, 3}},
                                 {192, {1, {1}, 1}},
                                 {401, {5, {7, 33, 20}, 10}},
                                 {500, {6, {40, 24}, 3}},
                                 {1700, {1, {9}, 2}},
                                 {3500, {6, {40, 24}, 3}}}) {
    const Trained one = train(n, shape, 1, 5);
    for (const std::size_t threads : {2U, 3U, 4U, 8U}) {
      const Trained many = train(n, shape, threads, 5);
      EXPECT_EQ(one.losses, many.losses);
      expect_same(one.state, many.state);
    }
  }
}

// Each worker steps with a copy of the parameters: it must follow steps that it has no part in, and
// what is loaded.
TEST(Mlp, WorkersKnowOfEverythingThatChangesTheWeights) {
  constexpr std::size_t kRows = 2000;
  const MlpShape shape{.inputs = 6, .hidden = {40, 24}, .classes = 3};
  const Inputs inputs(testing::random_matrix(kRows, 6, 1, 2.0));
  const auto rows = first_rows(kRows);
  std::optional<Matrix> expected;
  for (const std::size_t threads : {1U, 2U, 4U}) {
    Mlp net(shape, 2025, std::make_shared<Workers>(threads));
    const auto step = [&](std::size_t count) {
      net.update({inputs, std::span(rows).first(count)}, {},
                 [&](std::size_t, const Matrix& logits, Matrix& dlogits) {
                   for (std::size_t i = 0; i < logits.rows(); ++i)
                     for (std::size_t k = 0; k < 3; ++k)
                       dlogits(i, k) = (logits(i, k) - static_cast<float>(k)) / 2000.0F;
                 });
    };
    Matrix seen(0, 3);
    const auto look = [&] {
      const Matrix now = net.logits({inputs, rows});
      Matrix both(seen.rows() + now.rows(), 3);
      std::ranges::copy(seen.values(), both.values().begin());
      std::ranges::copy(now.values(), both.row(seen.rows()).data());
      seen = std::move(both);
    };
    step(2000), step(40), look();
    const State state = net.save();
    const State momentum = net.save_momentum();
    step(500), look(), step(2000), step(40), step(40), step(500), look();
    net.load(state), look(), step(500), look();
    net.load(state), net.load_momentum(momentum), step(2000), look();
    const auto other = net.clone();
    net.load_momentum({}), step(500), look();
    net.load(other->save()), step(2000), look();
    if (!expected) expected = seen;
    EXPECT_TRUE(std::ranges::equal(expected->values(), seen.values())) << threads;
  }
}

TEST(Mlp, DropoutDoesNotChangeABitOverThreadsEither) {
  const MlpShape shape{.inputs = 6, .hidden = {40, 24}, .classes = 2};
  const Trained one = train(400, shape, 1, 5, 0.5F);
  expect_same(one.state, train(400, shape, 3, 5, 0.5F).state);
  EXPECT_NE(one.losses, train(400, shape, 1, 5, 0.0F).losses);
}

TEST(Mlp, ARowsLogitsDoNotDependOnItsBatch) {
  const MlpShape shape{.inputs = 5, .classes = 4};
  const Inputs inputs(testing::random_matrix(200, 5, 1, 2.0));
  const Mlp net(shape, 7);
  const Matrix all = net.logits({inputs, first_rows(200)});
  for (const int row : {0, 5, 95, 96, 199}) {
    const Matrix alone = net.logits({inputs, std::vector<int>{row}});
    const auto expected = all.row(static_cast<std::size_t>(row));
    EXPECT_TRUE(std::equal(expected.begin(), expected.end(), alone.row(0).begin()));
  }
}

TEST(Mlp, AParameterOutsideTheNetworkStaysZero) {
  // Widths that are not whole vectors: padding must not learn, or save() would not tell the whole
  // state.
  const MlpShape shape{.inputs = 3, .hidden = {10, 6}, .classes = 2};
  const Inputs inputs(testing::random_matrix(50, 3, 1, 2.0));
  const auto labels = testing::random_labels(50, 2, 2);
  const Loss loss = find_loss("cross_entropy").make(Evidence::kRelu);
  std::vector<float> values(50);
  const auto step = [&](Network& net) {
    net.update({inputs, first_rows(50)}, {.momentum = 0.0F},
               [&](std::size_t, const Matrix& logits, Matrix& dlogits) {
                 loss(logits, labels, values, &dlogits);
               });
  };
  Mlp trained(shape, 1);
  for (int i = 0; i < 5; ++i) step(trained);
  Mlp loaded(shape, 99);
  loaded.load(trained.save());
  step(trained);
  step(loaded);
  expect_same(trained.save(), loaded.save());
}

TEST(Mlp, ACloneHasTheWeightsAndNoMomentum) {
  const MlpShape shape{.inputs = 3, .hidden = {8}, .classes = 2};
  const Inputs inputs(testing::random_matrix(20, 3, 1));
  const auto push = [](std::size_t, const Matrix&, Matrix& dlogits) {
    for (float& g : dlogits.values()) g = 0.01F;
  };
  Mlp net(shape, 1);
  net.update({inputs, first_rows(20)}, {}, push);
  const auto first = net.clone();
  const auto second = net.clone();
  expect_same(net.save(), first->save());
  first->update({inputs, first_rows(20)}, {}, push);
  second->update({inputs, first_rows(20)}, {}, push);
  expect_same(first->save(), second->save());
  net.update({inputs, first_rows(20)}, {}, push);  // this one has momentum
  EXPECT_NE(net.save().at("fc1.weight").values, first->save().at("fc1.weight").values);
}

// Not even the padding keeps what is no number.
TEST(Mlp, LoadingMendsANetworkThatDiverged) {
  const Inputs inputs(testing::random_matrix(20, 3, 1));
  Mlp net({.inputs = 3, .hidden = {10, 6}, .classes = 2}, 1);
  const State good = net.save();
  const Matrix before = net.logits({inputs, first_rows(20)});
  net.update({inputs, first_rows(20)}, {}, [](std::size_t, const Matrix&, Matrix& dlogits) {
    for (float& g : dlogits.values()) g = std::nanf("");
  });
  EXPECT_TRUE(std::isnan(net.logits({inputs, first_rows(20)})(0, 0)));
  net.load(good);
  EXPECT_TRUE(std::ranges::equal(net.logits({inputs, first_rows(20)}).values(), before.values()));
}

TEST(Mlp, RefusesWhatDoesNotFit) {
  EXPECT_THROW(Mlp({.inputs = 3, .hidden = {}, .classes = 2}, 1), Error);
  EXPECT_THROW(Mlp({.inputs = 3, .hidden = {4, 0}, .classes = 2}, 1), Error);
  Mlp net({.inputs = 3, .hidden = {4}, .classes = 2}, 1);
  const auto no_gradient = [](std::size_t, const Matrix&, Matrix&) { FAIL() << "a step was made"; };
  const std::vector<int> rows = first_rows(4);
  for (const Inputs& other : {Inputs(Matrix(4, 2)), Inputs(Matrix(4, 4)), Inputs(Images{})}) {
    EXPECT_THROW(net.logits({other, rows}), Error);
    EXPECT_THROW(net.sampled_logits({other, rows}, 0.5F, 1), Error);
    EXPECT_THROW(net.features({other, rows}), Error);
    EXPECT_THROW(net.update({other, rows}, {}, no_gradient), Error);
  }
  State state = net.save();
  state.at("fc2.bias").shape = {3};
  EXPECT_THROW(net.load(state), Error);
  state.erase("fc2.bias");
  state.at("fc1.weight").values.front() = 100.0F;
  EXPECT_THROW(net.load(state), Error);
  EXPECT_NE(net.save().at("fc1.weight").values.front(), 100.0F);  // nothing was loaded
}

}  // namespace
}  // namespace uaspl
