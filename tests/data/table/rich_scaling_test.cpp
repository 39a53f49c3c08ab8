// Robust, piecewise-linear and whitened inputs.
#include "uaspl/data/table/rich_scaling.hpp"

#include <cmath>
#include <limits>

#include "tests/support.hpp"
#include "uaspl/base/error.hpp"

namespace uaspl {
namespace {

DoubleMatrix column_of(std::vector<double> values) {
  const std::size_t n = values.size();
  return {n, 1, std::move(values)};
}

std::vector<float> scaled(const RichScaling& scaling, std::vector<double> row) {
  std::vector<float> out(scaling.width());
  scaling.apply(row, out);
  return out;
}

TEST(RichScaling, RobustScaleIsMedianAndQuartilesWithASmoothClip) {
  const RichScaling scaling =
      fit_rich_scaling(column_of({5.0, 1.0, 2.0, 3.0, 4.0}), {false}, Encoding::kRobust);
  ASSERT_EQ(scaling.width(), 1U);
  EXPECT_EQ(scaled(scaling, {3.0})[0], 0.0F);
  EXPECT_FLOAT_EQ(scaled(scaling, {5.0})[0], 1.0F / std::sqrt(1.0F + 1.0F / 9.0F));
  EXPECT_FLOAT_EQ(scaled(scaling, {1e300})[0], 3.0F);
  EXPECT_FLOAT_EQ(scaled(scaling, {-std::numeric_limits<double>::max()})[0], -3.0F);
  EXPECT_EQ(scaled(scaling, {std::nan("")})[0], 0.0F);
  EXPECT_THROW(scaled(scaling, {std::numeric_limits<double>::infinity()}), Error);
}

TEST(RichScaling, InputsOfTwoValuesAreMinusOneAndOneAndLevelsStay) {
  const DoubleMatrix rows(3, 3, {7.0, 0.0, 4.0, 9.0, 1.0, 4.0, 7.0, 0.0, 4.0});
  const RichScaling scaling = fit_rich_scaling(rows, {false, true, false}, Encoding::kPiecewise);
  EXPECT_EQ(scaled(scaling, {7.0, 0.0, 4.0}), (std::vector<float>{-1.0F, 0.0F}));
  EXPECT_EQ(scaled(scaling, {9.0, 1.0, 5.0}), (std::vector<float>{1.0F, 1.0F}));
}

TEST(RichScaling, AHalfOfEqualValuesIsScaledByItsRange) {
  const RichScaling scaling = fit_rich_scaling(
      column_of({0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 8.0}), {false}, Encoding::kRobust);
  EXPECT_FLOAT_EQ(scaled(scaling, {4.0})[0], 1.0F / std::sqrt(1.0F + 1.0F / 9.0F));
}

TEST(RichScaling, FewValuesHaveAnInputEachThatIsSharedBetweenThem) {
  const RichScaling scaling =
      fit_rich_scaling(column_of({1.0, 2.0, 4.0, 4.0}), {false}, Encoding::kPiecewise);
  ASSERT_EQ(scaling.width(), 4U);
  const auto pieces = [&](double x) {
    const auto all = scaled(scaling, {x});
    return std::vector<float>{all[1] + 0.25F, all[2] + 0.25F, all[3] + 0.5F};
  };
  EXPECT_EQ(pieces(1.0), (std::vector<float>{1.0F, 0.0F, 0.0F}));
  EXPECT_EQ(pieces(2.0), (std::vector<float>{0.0F, 1.0F, 0.0F}));
  EXPECT_EQ(pieces(3.0), (std::vector<float>{0.0F, 0.5F, 0.5F}));
  EXPECT_EQ(pieces(100.0), (std::vector<float>{0.0F, 0.0F, 1.0F}));
  EXPECT_EQ(pieces(-100.0), (std::vector<float>{1.0F, 0.0F, 0.0F}));
}

TEST(RichScaling, ManyValuesRiseBetweenQuantiles) {
  std::vector<double> values(101);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i * i);
  const RichScaling scaling = fit_rich_scaling(column_of(values), {false}, Encoding::kPiecewise);
  ASSERT_EQ(scaling.width(), 6U);  // round(sqrt(101) / 2) = 5 bins
  EXPECT_EQ(scaling.columns[0].knots, (std::vector<double>{0, 400, 1600, 3600, 6400, 10000}));
  const auto& means = scaling.columns[0].means;
  const auto at = scaled(scaling, {1000.0});
  EXPECT_NEAR(at[1] + means[0], 1.0, 1e-6);
  EXPECT_NEAR(at[2] + means[1], 0.5, 1e-6);
  EXPECT_NEAR(at[3] + means[2], 0.0, 1e-6);
  double sum = 0.0;
  for (const double x : values) sum += static_cast<double>(scaled(scaling, {x})[3]);
  EXPECT_NEAR(sum, 0.0, 1e-4);
}

TEST(RichScaling, MissingValuesCountForNothing) {
  const double nan = std::nan("");
  const auto fitted = [](std::vector<double> values) {
    return fit_rich_scaling(column_of(std::move(values)), {false}, Encoding::kPiecewise);
  };
  const RichScaling with = fitted({1.0, nan, 2.0, 4.0, nan});
  EXPECT_EQ(with.columns, fitted({1.0, 2.0, 4.0}).columns);
  EXPECT_EQ(scaled(with, {nan}), std::vector<float>(4));
}

void expect_white(std::size_t rows, std::size_t inputs, std::size_t directions) {
  const Matrix random = testing::random_matrix(rows, inputs, 3, 2.0);
  DoubleMatrix data(rows, inputs);
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < inputs; ++j)
      data(i, j) = static_cast<double>(random(i, j)) + (j > 0 ? 0.7 * data(i, j - 1) : 0.0);
  const RichScaling scaling =
      fit_rich_scaling(data, std::vector<bool>(inputs, false), Encoding::kWhitened);
  ASSERT_EQ(scaling.width(), directions);
  DoubleMatrix white(rows, directions);
  std::vector<float> out(directions);
  for (std::size_t i = 0; i < rows; ++i) {
    scaling.apply(data.row(i), out);
    std::ranges::copy(out, white.row(i).begin());
  }
  for (std::size_t a = 0; a < directions; ++a)
    for (std::size_t b = 0; b <= a; ++b) {
      double sum = 0.0;
      for (std::size_t i = 0; i < rows; ++i) sum += white(i, a) * white(i, b);
      EXPECT_NEAR(sum / static_cast<double>(rows), a == b ? 1.0 : 0.0, 1e-4) << a << " " << b;
    }
}

TEST(RichScaling, WhitenedTrainingRowsAreUncorrelatedWithVarianceOne) {
  expect_white(60, 5, 5);
  expect_white(12, 20, 6);  // at most half as many as rows
}

TEST(RichScaling, EigenvaluesAndVectorsGiveTheMatrixBack) {
  constexpr std::size_t kSize = 15;
  const Matrix random = testing::random_matrix(kSize, kSize, 5, 1.0);
  DoubleMatrix matrix(kSize, kSize);
  for (std::size_t i = 0; i < kSize; ++i)
    for (std::size_t j = 0; j < kSize; ++j)
      matrix(i, j) = static_cast<double>(random(i, j)) + static_cast<double>(random(j, i));
  const Eigen eigen = eigen_of_symmetric(matrix);
  EXPECT_TRUE(std::ranges::is_sorted(eigen.values, std::greater<>()));
  for (std::size_t i = 0; i < kSize; ++i)
    for (std::size_t j = 0; j < kSize; ++j) {
      double sum = 0.0;
      for (std::size_t k = 0; k < kSize; ++k)
        sum += eigen.values[k] * eigen.vectors(k, i) * eigen.vectors(k, j);
      EXPECT_NEAR(sum, matrix(i, j), 1e-10);
    }
}

TEST(RichScaling, NumbersThatCannotBeAreRefused) {
  const auto data = column_of({1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0});
  const auto refused = [&](Encoding encoding, const auto& spoil) {
    RichScaling scaling = fit_rich_scaling(data, {false}, encoding);
    check(scaling);
    spoil(scaling);
    EXPECT_THROW(check(scaling), Error);
  };
  const double nan = std::nan("");
  refused(Encoding::kRobust, [](RichScaling& s) { s.columns[0].input = 1; });
  refused(Encoding::kRobust, [](RichScaling& s) { s.columns[0].scale = 0.0; });
  refused(Encoding::kRobust, [&](RichScaling& s) { s.columns[0].centre = nan; });
  refused(Encoding::kRobust, [](RichScaling& s) { s.columns[0].knots = {1.0, 2.0}; });
  refused(Encoding::kPiecewise, [](RichScaling& s) { s.columns[0].knots.resize(1); });
  refused(Encoding::kPiecewise, [](RichScaling& s) { s.columns[0].knots[1] = -9.0; });
  refused(Encoding::kPiecewise, [](RichScaling& s) { s.columns[0].means.pop_back(); });
  refused(Encoding::kWhitened, [&](RichScaling& s) { s.whitening.mean[0] = nan; });
  refused(Encoding::kWhitened, [](RichScaling& s) { s.whitening.mean.push_back(0.0); });
}

}  // namespace
}  // namespace uaspl
