// Scores from outputs and from random passes, histories and weighting networks: the pure parts of
// the methods.
#include <boost/math/quadrature/tanh_sinh.hpp>
#include <boost/math/special_functions/beta.hpp>
#include <cmath>

#include "tests/support.hpp"
#include "uaspl/loss/softmax.hpp"
#include "uaspl/method/active_bias.hpp"
#include "uaspl/method/history.hpp"
#include "uaspl/method/mc_dropout.hpp"
#include "uaspl/method/output_scores.hpp"
#include "uaspl/method/spup.hpp"
#include "uaspl/method/uaspl.hpp"
#include "uaspl/method/weight_net.hpp"
#include "uaspl/net/mlp/mlp.hpp"

namespace uaspl {
namespace {

TEST(OutputScores, ByHand) {
  EXPECT_DOUBLE_EQ(least_confidence(std::vector{0.1, 0.7, 0.2}), 1.0 - 0.7);
  EXPECT_DOUBLE_EQ(small_margin(std::vector{0.1, 0.7, 0.2}), 1.0 - (0.7 - 0.2));
  EXPECT_DOUBLE_EQ(small_margin(std::vector{0.5, 0.5}), 1.0);
  EXPECT_DOUBLE_EQ(small_margin(std::vector{1.0, 0.0}), 0.0);
}

TEST(OutputScores, WhatIsNoNumberStaysSo) {
  const double nan = std::nan("");
  for (const auto& p : {std::vector{nan, 0.5}, std::vector{0.5, nan}, std::vector{nan, nan}}) {
    EXPECT_TRUE(std::isnan(least_confidence(p)));
    EXPECT_TRUE(std::isnan(small_margin(p)));
  }
}

TEST(Softmax, ByHandAndWithoutOverflow) {
  const Matrix logits(2, 2, {0.0F, std::log(3.0F), 1000.0F, 0.0F});
  const DoubleMatrix p = softmax(logits);
  EXPECT_NEAR(p(0, 1), 0.75, 1e-7);
  EXPECT_DOUBLE_EQ(p(1, 0), 1.0);
  EXPECT_NEAR(softmax_probability(logits.row(0), 0), 0.25, 1e-7);
  EXPECT_EQ(softmax_probability(logits.row(1), 1), 0.0);
}

TEST(McDropout, MutualInformationByHand) {
  PassMoments moments;
  moments.add(DoubleMatrix(2, 2, {1.0, 0.0, 0.5, 0.5}));
  moments.add(DoubleMatrix(2, 2, {0.0, 1.0, 0.5, 0.5}));
  EXPECT_NEAR(mutual_information(moments, 0), std::log(2.0), 1e-15);  // sure, and contradictory
  EXPECT_EQ(mutual_information(moments, 1), 0.0);                     // unsure, but of one mind
  EXPECT_DOUBLE_EQ(moments.variance(0, 0), 0.5);
}

TEST(McDropout, APassWithoutNumbersLeavesNoNumber) {
  const double nan = std::nan("");
  PassMoments moments;
  moments.add(DoubleMatrix(1, 2, {0.3, 0.7}));
  moments.add(DoubleMatrix(1, 2, {nan, nan}));
  EXPECT_TRUE(std::isnan(mutual_information(moments, 0)));
  EXPECT_TRUE(std::isnan(balanced_entropy(moments, 0)));
  EXPECT_TRUE(std::isnan(power_score(nan, 1.0, 0.5)));
}

TEST(McDropout, ScoresByHand) {
  EXPECT_DOUBLE_EQ(power_score(0.5, 2.0, 0.25), 2.0 * std::log(0.5) - 0.25);
  EXPECT_DOUBLE_EQ(power_score(0.0, 1.0, 0.0), std::log(1e-9));
  EXPECT_DOUBLE_EQ(balanced_score(0.25), 4.0);
  EXPECT_DOUBLE_EQ(balanced_score(-0.25), -0.25);
  EXPECT_LT(balanced_score(-5.0), balanced_score(-1.0));  // easy, less easy, ...
  EXPECT_LT(balanced_score(-1.0), balanced_score(9.0));
  EXPECT_LT(balanced_score(9.0), balanced_score(0.5));
}

TEST(McDropout, RowsAreDrawnByThePowerOfTheirInformation) {
  // Weights 1/0.1, 1/0.2, 1/0.4: the first of three is drawn with 4/7, 2/7, 1/7.
  Stream stream(4, "draws");
  constexpr int kDraws = 40000;
  int first[3] = {};
  for (int draw = 0; draw < kDraws; ++draw) {
    double scores[3];
    for (int i = 0; i < 3; ++i) scores[i] = power_score(0.1 * (1 << i), 1.0, stream.gumbel());
    ++first[std::min_element(scores, scores + 3) - scores];
  }
  EXPECT_NEAR(first[0] / double{kDraws}, 4.0 / 7, 0.01);
  EXPECT_NEAR(first[1] / double{kDraws}, 2.0 / 7, 0.01);
  EXPECT_NEAR(first[2] / double{kDraws}, 1.0 / 7, 0.01);
}

TEST(Spup, ScoresByHand) {
  const std::vector<float> losses{0.2F, 0.6F, 1.0F};  // two taken: threshold 0.8
  const auto plain = disturbed_scores(losses, 2, 0.0, Stream(1, "z"));
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(plain[i], losses[i] / 0.8 - 1.0, 1e-6);
  Stream same(1, "z");
  const auto noisy = disturbed_scores(losses, 2, 0.1, Stream(1, "z"));
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(noisy[i], plain[i] - 0.1 * same.normal(), 1e-6);
  for (const float score : disturbed_scores(std::vector<float>(4), 2, 0.0, Stream(1, "z")))
    EXPECT_EQ(score, -1.0F);  // all losses 0
}

TEST(UasplHybrid, ScoresByHand) {
  const std::vector<float> losses{1.0F, 3.0F, 2.0F};
  const std::vector<float> vacuities{0.5F, 1.0F, 0.25F};  // certainty 0.5, 0, 0.75
  const auto first = hybrid_scores(losses, vacuities, 0.0F);
  EXPECT_NEAR(first[0], 0.0, 1e-6);
  EXPECT_NEAR(first[1], 1.0, 1e-6);
  EXPECT_NEAR(first[2], 0.5, 1e-6);
  const auto turned = hybrid_scores(losses, vacuities, 0.25F);
  EXPECT_NEAR(turned[0], 0.25 * (2.0 / 3), 1e-6);
  EXPECT_NEAR(turned[1], 0.75, 1e-6);
  EXPECT_NEAR(turned[2], 0.75 * 0.5 + 0.25, 1e-6);
}

TEST(McDropout, NoInformationWithoutDropoutAndNeverLessThanNone) {
  const auto clouds = testing::make_clouds(50, 4, 3, 2);
  const Mlp net({.inputs = 4, .hidden = {16, 16}, .classes = 3}, 1);
  for (const float rate : {0.0F, 0.2F}) {
    PassMoments moments;
    for (std::uint64_t pass = 0; pass < 20; ++pass)
      moments.add(softmax(net.sampled_logits(clouds.batch(), rate, pass)));
    double highest = 0.0;
    for (std::size_t i = 0; i < 50; ++i) {
      const double information = mutual_information(moments, i);
      EXPECT_GE(information, 0.0);
      highest = std::max(highest, information);
    }
    EXPECT_EQ(highest > 1e-12, rate > 0.0F);
  }
}

// -integral of f ln f over 0..1, f the density of Beta(a+1, b).
double integrated_entropy(double a, double b) {
  const double log_beta = std::lgamma(a + 1.0) + std::lgamma(b) - std::lgamma(a + b + 1.0);
  boost::math::quadrature::tanh_sinh<double> integrator(15);
  const auto integrand = [&](double p, double to_end) {
    const double rest = p < 0.5 ? 1.0 - p : std::abs(to_end);
    if (p <= 0.0 || rest <= 0.0) return 0.0;
    const double log_density = a * std::log(p) + (b - 1.0) * std::log(rest) - log_beta;
    return -std::exp(log_density) * log_density;
  };
  return integrator.integrate(integrand, 0.0, 1.0);
}

TEST(McDropout, PosteriorEntropyEqualsTheIntegral) {
  for (const double a : {0.3, 1.0, 2.5, 40.0})
    for (const double b : {0.2, 0.7, 1.0, 3.0, 55.0})
      EXPECT_NEAR(posterior_entropy(a, b), integrated_entropy(a, b), 1e-7) << a << " " << b;
  // A narrow beta distribution is almost normal: entropy (1 + ln(2 pi var)) / 2.
  EXPECT_NEAR(posterior_entropy(1e8, 1e8), 0.5 * (1.0 + std::log(2.0 * M_PI * 0.125e-8)), 1e-6);
}

TEST(McDropout, EqualsTheReference) {
  const nlohmann::json cases = testing::reference("methods.json")["passes"];
  for (const auto& one : cases) {
    PassMoments moments;
    for (const auto& sample : one["samples"])
      moments.add(DoubleMatrix(1, sample.size(), sample.get<std::vector<double>>()));
    EXPECT_NEAR(mutual_information(moments, 0), one["mutual_information"].get<double>(), 1e-14);
    const double once = one["balanced_entropy"].get<double>();
    const double twice = one["balanced_entropy_twice"].get<double>();
    const double tolerance = 1e-9 * std::max(1.0, std::abs(once));
    EXPECT_NEAR(balanced_entropy(moments, 0), once, tolerance);
    EXPECT_NEAR(balanced_entropy(moments, 0, true), twice, tolerance);
  }
}

TEST(McDropout, BalancedEntropyIsFiniteForExtremePasses) {
  for (const double p : {1.0, 1.0 - 1e-12, 0.5}) {
    PassMoments moments;
    for (int pass = 0; pass < 20; ++pass)
      moments.add(DoubleMatrix(1, 2, {pass % 2 ? p : 1.0 - p, pass % 2 ? 1.0 - p : p}));
    EXPECT_TRUE(std::isfinite(balanced_entropy(moments, 0)));
    PassMoments same;
    for (int pass = 0; pass < 20; ++pass) same.add(DoubleMatrix(1, 2, {p, 1.0 - p}));
    EXPECT_TRUE(std::isfinite(balanced_entropy(same, 0)));
  }
}

TEST(History, EqualsTheReference) {
  const nlohmann::json all = testing::reference("methods.json");
  const nlohmann::json& one = all["history"];
  const std::size_t rows = one["probabilities"].size();
  PredictionHistory history(rows);
  for (std::size_t i = 0; i < rows; ++i)
    for (const double p : one["probabilities"][i]) history.add(i, p);
  const std::vector<float> weights = variance_weights(history, testing::first_rows(rows), 0.2);
  for (std::size_t i = 0; i < rows; ++i) {
    EXPECT_NEAR(history.variance(i), one["variance"][i].get<double>(), 1e-14);
    EXPECT_NEAR(weights[i], one["weights"][i].get<double>(), 1e-6);
  }
}

TEST(History, ByHand) {
  PredictionHistory history(2);
  EXPECT_EQ(history.variance(0), 0.0);
  history.add(0, 0.2);
  EXPECT_EQ(variance_weights(history, std::vector<int>{0}, 0.2), (std::vector<float>{1.0F}));
  history.add(0, 0.6);
  history.add(1, 0.5);
  history.add(1, 0.5);
  EXPECT_NEAR(history.variance(0), 0.04, 1e-15);
  // sqrt(0.04 + 0.0016) = 0.204, and 0; floor 0.2, mean 0.302
  const std::vector<float> weights = variance_weights(history, std::vector<int>{0, 1}, 0.2);
  const double spread = std::sqrt(0.0416) + 0.2;
  EXPECT_NEAR(weights[0], 2.0 * spread / (spread + 0.2), 1e-6);
  EXPECT_NEAR(weights[0] + weights[1], 2.0, 1e-6);
  EXPECT_EQ(variance_weights(history, std::vector<int>{1}, 0.0), (std::vector<float>{1.0F}));
  EXPECT_EQ(history.subset(std::vector<int>{1}).mean(0), 0.5);
  // From logits: p of label 1 is 0.25 and 0.75.
  PredictionHistory seen(3);
  const float log3 = std::log(3.0F);
  seen.add(std::vector<int>{2}, Matrix(1, 2, {log3, 0.0F}), std::vector<int>{0, 0, 1});
  seen.add(std::vector<int>{2}, Matrix(1, 2, {0.0F, log3}), std::vector<int>{0, 0, 1});
  EXPECT_NEAR(seen.mean(2), 0.5, 1e-7);
  EXPECT_NEAR(seen.variance(2), 0.0625, 1e-7);
  EXPECT_EQ(seen.visits(0), 0U);
}

TEST(WeightNet, WeighsByItsDefinition) {
  const WeightNet net(5, Stream(3, "net"));
  const auto p = net.parameters();
  const std::vector<float> losses{0.0F, 0.4F, 3.0F};
  std::vector<float> weights(3);
  net.weigh(losses, weights);
  for (std::size_t i = 0; i < 3; ++i) {
    double out = p[15];
    for (std::size_t h = 0; h < 5; ++h)
      out += static_cast<double>(p[10 + h]) *
             std::max(0.0, static_cast<double>(p[h]) * losses[i] + static_cast<double>(p[5 + h]));
    EXPECT_NEAR(weights[i], 1.0 / (1.0 + std::exp(-out)), 1e-6);
  }
  for (std::size_t i = 0; i < 16; ++i) EXPECT_LE(std::abs(p[i]), i < 10 ? 1.0 : 1.0 / std::sqrt(5));
}

TEST(WeightNet, GradientEqualsCentralDifferences) {
  WeightNet net(6, Stream(5, "net"));
  const std::vector<float> losses{0.1F, 0.8F, 2.0F, 0.3F, 0.02F, 1.2F,
                                  5.0F, 0.6F, 0.9F, 1.7F, 0.4F};
  std::vector<float> slopes(losses.size());
  for (std::size_t i = 0; i < slopes.size(); ++i) slopes[i] = 0.3F * static_cast<float>(i) - 1.0F;
  const std::vector<double> gradient = net.gradient(losses, slopes);
  const auto value = [&] {
    std::vector<float> weights(losses.size());
    net.weigh(losses, weights);
    double sum = 0.0;
    for (std::size_t i = 0; i < weights.size(); ++i)
      sum += static_cast<double>(slopes[i]) * static_cast<double>(weights[i]);
    return sum;
  };
  for (std::size_t j = 0; j < gradient.size(); ++j) {
    const float start = net.parameters()[j];
    constexpr float kStep = 1e-2F;
    net.parameters()[j] = start + kStep;
    const double up = value();
    net.parameters()[j] = start - kStep;
    const double down = value();
    net.parameters()[j] = start;
    EXPECT_NEAR(gradient[j], (up - down) / (2.0 * static_cast<double>(kStep)), 2e-3) << j;
  }
}

TEST(WeightNet, AdamEqualsTheReference) {
  const nlohmann::json all = testing::reference("methods.json");
  const nlohmann::json& one = all["adam"];
  WeightNet net(2, Stream(1, "net"));
  std::ranges::copy(one["start"].get<std::vector<float>>(), net.parameters().begin());
  for (const auto& gradient : one["gradients"])
    net.step(gradient.get<std::vector<double>>(), one["rate"], one["decay"]);
  for (std::size_t j = 0; j < 7; ++j)
    EXPECT_NEAR(net.parameters()[j], one["end"][j].get<double>(), 1e-6);
}

TEST(Stream, DrawsNormalAndGumbelNumbers) {
  Stream stream(1, "draws");
  constexpr int kDraws = 200000;
  double normal[3] = {};
  double gumbel[2] = {};
  for (int i = 0; i < kDraws; ++i) {
    const double z = stream.normal();
    for (int power = 1; power <= 3; ++power) normal[power - 1] += std::pow(z, power) / kDraws;
    const double g = stream.gumbel();
    gumbel[0] += g / kDraws;
    gumbel[1] += g * g / kDraws;
  }
  EXPECT_NEAR(normal[0], 0.0, 0.01);
  EXPECT_NEAR(normal[1], 1.0, 0.02);
  EXPECT_NEAR(normal[2], 0.0, 0.04);
  EXPECT_NEAR(gumbel[0], 0.5772156649, 0.02);
  EXPECT_NEAR(gumbel[1] - gumbel[0] * gumbel[0], M_PI * M_PI / 6.0, 0.04);
}

}  // namespace
}  // namespace uaspl
