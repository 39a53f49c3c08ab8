// Cross-entropy as naive programs have it: the same where floats suffice, infinite where not.
#include <cmath>
#include <limits>

#include "tests/support.hpp"
#include "uaspl/loss/superloss.hpp"

namespace uaspl {
namespace {

struct Values {
  std::vector<float> loss;
  Matrix gradient;
};

Values values(const Loss& loss, const Matrix& logits, std::span<const int> labels) {
  Values all{std::vector<float>(logits.rows()), {}};
  loss(logits, labels, all.loss, &all.gradient);
  return all;
}

TEST(NaiveCrossEntropy, IsTheExactOneWhereFloatsSuffice) {
  const Matrix logits = testing::random_matrix(300, 5, 1, 20.0);
  const auto labels = testing::random_labels(300, 5, 2);
  const Values naive = values(naive_cross_entropy(), logits, labels);
  const Values exact = values(cross_entropy(), logits, labels);
  for (std::size_t i = 0; i < labels.size(); ++i) {
    EXPECT_NEAR(naive.loss[i], exact.loss[i], 1e-6 + 1e-6 * exact.loss[i]);
    for (std::size_t k = 0; k < 5; ++k)
      EXPECT_NEAR(naive.gradient(i, k), exact.gradient(i, k), 1e-6);
  }
  EXPECT_FALSE(naive_cross_entropy().evidence());
}

// The label's probability is e^-d for logits 0 and d; ln of the smallest normal float is -87.34.
TEST(NaiveCrossEntropy, IsInfiniteWhereTheProbabilityIsTooSmallForAFloat) {
  Matrix logits(3, 2);
  logits(0, 1) = 87.0F;
  logits(1, 1) = 88.0F;
  logits(2, 1) = 1e30F;
  const std::vector<int> labels{0, 0, 0};
  const Values naive = values(naive_cross_entropy(), logits, labels);
  EXPECT_NEAR(naive.loss[0], 87.0F, 1e-3);
  EXPECT_NEAR(naive.gradient(0, 0), -1.0F, 1e-6);
  for (std::size_t i = 1; i < 3; ++i) {
    EXPECT_EQ(naive.loss[i], std::numeric_limits<float>::infinity());
    EXPECT_TRUE(std::isnan(naive.gradient(i, 0)) && std::isnan(naive.gradient(i, 1)));
  }
  EXPECT_NEAR(values(cross_entropy(), logits, labels).loss[1], 88.0F, 1e-5);
  EXPECT_TRUE(
      std::isnan(values(superloss(1.0, naive_cross_entropy()), logits, labels).gradient(1, 0)));
  EXPECT_FALSE(std::isnan(values(superloss(1.0), logits, labels).gradient(1, 0)));
  // A row that is right has no loss, however far it is.
  const Values right = values(naive_cross_entropy(), logits, std::vector<int>{1, 1, 1});
  for (const float loss : right.loss) EXPECT_EQ(loss, 0.0F);
}

TEST(NaiveCrossEntropy, LogitsThatAreNoNumbersGiveNone) {
  for (const float odd : {std::nanf(""), std::numeric_limits<float>::infinity()})
    for (const std::size_t place : {0U, 2U}) {
      Matrix logits(1, 3);
      logits(0, place) = odd;
      const Values naive = values(naive_cross_entropy(), logits, std::vector<int>{1});
      EXPECT_FALSE(std::isfinite(naive.loss[0]));
      for (const float g : naive.gradient.values()) EXPECT_TRUE(std::isnan(g));
    }
}

}  // namespace
}  // namespace uaspl
