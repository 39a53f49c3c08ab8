// AdamW in the native network: PyTorch's trajectory, the same bits for any number of threads, and a
// state that can be saved and taken up again.
#include <cmath>
#include <optional>

#include "tests/support.hpp"
#include "uaspl/loss/cross_entropy.hpp"
#include "uaspl/net/mlp/kernels.hpp"
#include "uaspl/net/mlp/mlp.hpp"

namespace uaspl {
namespace {

using testing::first_rows;

constexpr Step kAdamW{.optimiser = Optimiser::kAdamW,
                      .rate = 0.01F,
                      .momentum = 0.9F,
                      .second_keep = 0.95F,
                      .decay = 0.05F};

// A network, its data, and steps of cross-entropy.
struct Example {
  explicit Example(std::size_t count, std::size_t threads = 1)
      : inputs(values(count)),
        network({.inputs = 6, .hidden = {40, 24}, .classes = 3}, 11,
                threads > 1 ? std::make_shared<Workers>(threads) : nullptr),
        rows(first_rows(count)) {
    for (std::size_t i = 0; i < count; ++i) labels.push_back(static_cast<int>(i % 3));
  }

  // Numbers that PyTorch's script makes too.
  static Matrix values(std::size_t count) {
    Matrix all(count, 6);
    for (std::size_t i = 0; i < all.values().size(); ++i)
      all.values()[i] = static_cast<float>((i * i * 7 + i * 13 + i / 97) % 64) / 32.0F - 1.0F;
    return all;
  }

  // Makes a step; returns the mean loss before it.
  double step(std::size_t count, const Step& step = kAdamW) {
    std::vector<float> losses(count);
    const Loss loss = cross_entropy();
    network.update({inputs, std::span(rows).first(count)}, step,
                   [&](std::size_t first, const Matrix& logits, Matrix& dlogits) {
                     loss(logits, std::span(labels).subspan(first, logits.rows()),
                          std::span(losses).subspan(first, logits.rows()), &dlogits);
                     for (float& g : dlogits.values()) g /= static_cast<float>(count);
                   });
    double sum = 0.0;
    for (const float one : losses) sum += static_cast<double>(one);
    return sum / static_cast<double>(count);
  }

  Inputs inputs;
  Mlp network;
  std::vector<int> rows;
  std::vector<int> labels;
};

void expect_same(const State& a, const State& b) {
  ASSERT_EQ(a.size(), b.size());
  for (const auto& [name, tensor] : a) EXPECT_EQ(tensor.values, b.at(name).values) << name;
}

TEST(AdamW, FollowsPyTorch) {
  const auto golden = testing::reference("adamw.json");
  Example example(50);
  for (const double loss : golden["losses"]) EXPECT_NEAR(example.step(50), loss, 2e-6);
  const Matrix logits = example.network.logits({example.inputs, first_rows(5)});
  for (std::size_t i = 0; i < 5; ++i)
    for (std::size_t k = 0; k < 3; ++k)
      EXPECT_NEAR(logits(i, k), golden["logits"][i][k].get<double>(), 2e-5);
}

TEST(AdamW, ThreadsDoNotChangeABit) {
  std::optional<State> expected;
  for (const std::size_t threads : {1U, 2U, 4U}) {
    Example example(700, threads);
    for (const std::size_t count : {700U, 40U, 500U, 700U}) example.step(count);
    if (!expected) expected = example.network.save();
    expect_same(*expected, example.network.save());
  }
}

TEST(AdamW, GoesOnFromASavedState) {
  Example one(300, 2);
  for (int i = 0; i < 5; ++i) one.step(300);
  Example other(300);
  other.network.load(one.network.save());
  other.network.load_momentum(one.network.save_momentum());
  expect_same(one.network.save_momentum(), other.network.save_momentum());
  one.step(300), other.step(300);
  expect_same(one.network.save(), other.network.save());
  // Weights alone are a new beginning.
  other.network.load(one.network.save());
  one.step(300), other.step(300);
  EXPECT_NE(one.network.save().at("fc1.weight").values,
            other.network.save().at("fc1.weight").values);
}

TEST(AdamW, ACloneBeginsAnew) {
  Example example(100);
  example.step(100);
  const auto clone = example.network.clone();
  EXPECT_TRUE(clone->save_momentum().empty());
}

TEST(AdamW, PaddingStaysZero) {
  using kernels::kPad;
  AlignedVector<float> weights(kPad), mean(kPad), square(kPad), gradient(kPad);
  weights[0] = 1.0F, gradient[0] = 0.5F;
  for (int i = 0; i < 3; ++i)
    kernels::adamw_step(weights, mean, square, gradient.data(), {0.1F, 0.9F, 0.95F, 0.99F, 1.0F});
  EXPECT_NE(weights[0], 1.0F);
  for (std::size_t i = 1; i < kPad; ++i) EXPECT_EQ(weights[i], 0.0F);
}

}  // namespace
}  // namespace uaspl
