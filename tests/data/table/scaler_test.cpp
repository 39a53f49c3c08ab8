// Standardisation of features, against scikit-learn and by hand.
#include "uaspl/data/table/scaler.hpp"

#include <cmath>

#include "tests/support.hpp"

namespace uaspl {
namespace {

TEST(Scaler, EqualsScikitLearn) {
  const auto golden = testing::reference("numerics.json")["scaler"];
  const auto rows = golden["x"].get<std::vector<std::vector<double>>>();
  DoubleMatrix x(rows.size(), rows[0].size());
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (std::size_t j = 0; j < rows[i].size(); ++j) x(i, j) = rows[i][j];
  const Scaler scaler = fit_scaler(x, testing::first_rows(rows.size()));
  for (std::size_t j = 0; j < x.cols(); ++j) {
    EXPECT_NEAR(scaler.mean[j], double(golden["mean"][j]), 1e-15);
    EXPECT_NEAR(scaler.scale[j], double(golden["scale"][j]), 1e-15);
  }
  const Matrix inputs = standardise(x, scaler);
  EXPECT_EQ(inputs(0, 2), 0.0F);  // a constant column
}

TEST(Scaler, IsFittedOnTheGivenRowsOnly) {
  DoubleMatrix x(3, 1);
  x(0, 0) = 1.0, x(1, 0) = 3.0, x(2, 0) = 1000.0;
  const Scaler scaler = fit_scaler(x, std::vector<int>{0, 1});
  EXPECT_EQ(scaler.mean[0], 2.0);
  EXPECT_EQ(scaler.scale[0], 1.0);
  EXPECT_EQ(standardise(x, scaler)(2, 0), 998.0F);
}

TEST(Scaler, PassesOverMissingValues) {
  DoubleMatrix x(4, 2);
  const double missing = std::nan("");
  x(0, 0) = 1.0, x(1, 0) = missing, x(2, 0) = 3.0, x(3, 0) = missing;
  for (std::size_t i = 0; i < 4; ++i) x(i, 1) = missing;
  const Scaler scaler = fit_scaler(x, testing::first_rows(4));
  EXPECT_EQ(scaler.mean, (std::vector<double>{2.0, 0.0}));
  EXPECT_EQ(scaler.scale, (std::vector<double>{1.0, 1.0}));
  const Matrix inputs = standardise(x, scaler);
  EXPECT_EQ(inputs(0, 0), -1.0F);
  EXPECT_EQ(inputs(1, 0), 0.0F);  // as the mean
  EXPECT_EQ(inputs(2, 1), 0.0F);
}

}  // namespace
}  // namespace uaspl
