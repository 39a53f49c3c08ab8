// Temperature and amount of evidence.
#include "uaspl/trust/tempering.hpp"

#include <cmath>

#include "tests/support.hpp"
#include "uaspl/base/rng.hpp"

namespace uaspl {
namespace {

TEST(Tempering, SharpeningKeepsTheOrderAndTheSum) {
  std::vector<double> p = {0.2, 0.5, 0.3};
  sharpen(p, 2.0);
  EXPECT_NEAR(p[0], 0.04 / 0.38, 1e-12);
  EXPECT_NEAR(p[1], 0.25 / 0.38, 1e-12);
  std::vector<double> sure = {0.0, 1.0};
  sharpen(sure, 0.05);
  EXPECT_EQ(sure, (std::vector<double>{0.0, 1.0}));
}

// Rows whose labels are drawn by probabilities that are then made too sure by a power.
struct Drawn {
  DoubleMatrix said;
  std::vector<int> labels;
};
Drawn draw(std::size_t rows, double power) {
  Stream stream(1, "drawn");
  Drawn drawn{DoubleMatrix(rows, 3), {}};
  for (std::size_t i = 0; i < rows; ++i) {
    auto row = drawn.said.row(i);
    double sum = 0.0;
    for (double& p : row) sum += p = stream.uniform() + 0.05;
    for (double& p : row) p /= sum;
    const double x = stream.uniform();
    drawn.labels.push_back(x < row[0] ? 0 : x < row[0] + row[1] ? 1 : 2);
    sharpen(row, power);
  }
  return drawn;
}

TEST(Tempering, FindsTheTemperatureThatUndoesAPower) {
  for (const double power : {0.5, 1.0, 3.0}) {
    const Drawn drawn = draw(40000, power);
    const Tempering fitted = fit_tempering({drawn.said, drawn.labels});
    EXPECT_NEAR(fitted.temperature * power, 1.0, 0.05) << power;
    EXPECT_GT(fitted.evidence, 1000.0);  // nothing is gained from less
  }
}

TEST(Tempering, RowsThatAreWrongAndSureLowerTheEvidence) {
  DoubleMatrix said(100, 2);
  std::vector<int> labels(100, 0);
  for (std::size_t i = 0; i < 100; ++i)
    said(i, 0) = i < 5 ? 0.0 : 1.0, said(i, 1) = 1.0 - said(i, 0);
  const Tempering fitted = fit_tempering({said, labels});
  EXPECT_LT(fitted.evidence, 100.0);
  EXPECT_GE(fitted.evidence, Tempering::kLeastEvidence);
}

TEST(Tempering, RowsOfWeightZeroDoNotCount) {
  Drawn drawn = draw(2000, 2.0);
  std::vector<float> weights(2000, 1.0F);
  const Tempering whole = fit_tempering({drawn.said, drawn.labels, {}, weights});
  DoubleMatrix more(2100, 3);
  std::ranges::copy(drawn.said.values(), more.values().begin());
  for (std::size_t i = 2000; i < 2100; ++i) more(i, 0) = 1.0;
  drawn.labels.resize(2100, 2);
  weights.resize(2100, 0.0F);
  const Tempering same = fit_tempering({more, drawn.labels, {}, weights});
  EXPECT_EQ(whole.temperature, same.temperature);
  EXPECT_EQ(whole.evidence, same.evidence);
}

}  // namespace
}  // namespace uaspl
