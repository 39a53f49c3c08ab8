// The factor on the evidence of rows that are far from the training rows.
#include "uaspl/trust/novelty.hpp"

#include <cmath>

#include "tests/support.hpp"
#include "uaspl/base/error.hpp"
#include "uaspl/base/rng.hpp"

namespace uaspl {
namespace {

// Two clouds with different units, and a category of three levels.
DoubleMatrix clouds(std::size_t rows, std::uint64_t seed) {
  Stream stream(seed, "clouds");
  DoubleMatrix data(rows, 5);
  for (std::size_t i = 0; i < rows; ++i) {
    const double side = i % 2 == 0 ? -5.0 : 5.0;
    data(i, 0) = side + stream.normal();
    data(i, 1) = 1000.0 * (side + stream.normal());
    data(i, 2 + i % 3) = 1.0;
  }
  return data;
}

Novelty fitted(std::size_t rows = 400) {
  return fit_novelty(clouds(rows, 1), {false, false, true, true, true}, {{2, 5}}, 7);
}

TEST(Novelty, FallsWithTheDistanceFromTheRows) {
  const Novelty novelty = fitted();
  const DoubleMatrix others = clouds(200, 2);
  double mean = 0.0;
  for (std::size_t i = 0; i < 200; ++i) mean += novelty.known(others.row(i)) / 200.0;
  EXPECT_GT(mean, 0.8);
  double before = 1.1;
  for (const double far : {5.0, 10.0, 20.0, 100.0, 1e6, 1e300}) {
    const double now = novelty.known(std::vector<double>{far, 5000.0, 1.0, 0.0, 0.0});
    EXPECT_LT(now, before) << far;
    EXPECT_GT(now, 0.0);
    before = now;
  }
  EXPECT_LT(novelty.known(std::vector<double>{0.0, 0.0, 1.0, 0.0, 0.0}),
            0.5);  // between the clouds
}

TEST(Novelty, AnUnseenLevelIsNeverBetterKnownThanAnySeenOne) {
  const Novelty novelty = fitted();
  const DoubleMatrix others = clouds(100, 3);
  for (std::size_t i = 0; i < 100; ++i) {
    std::vector<double> row(others.row(i).begin(), others.row(i).end());
    row[2] = row[3] = row[4] = 0.0;
    const double unseen = novelty.known(row);
    for (std::size_t level = 2; level < 5; ++level) {
      row[level] = 1.0;
      EXPECT_LE(unseen, novelty.known(row) + 1e-12);
      row[level] = 0.0;
    }
  }
}

TEST(Novelty, CentresAreOfFiveRowsOrMore) {
  for (const std::size_t rows : {6U, 40U, 400U}) {
    const Novelty novelty = fitted(rows);
    EXPECT_LE(novelty.data().centres.rows() * Novelty::kSmallestGroup, rows) << rows;
  }
}

TEST(Novelty, ConstantInputsAndTinyTablesAreFine) {
  const DoubleMatrix one(1, 2, {3.0, 4.0});
  const Novelty novelty = fit_novelty(one, {false, false}, {}, 1);
  EXPECT_NEAR(novelty.known(one.row(0)), 1.0, 1e-9);
  EXPECT_LT(novelty.known(std::vector<double>{3.0, 5.0}), 1e-6);
}

TEST(Novelty, RefusesWhatCannotBe) {
  const auto refused = [](const auto& spoil) {
    Novelty::Data data = fitted(50).data();
    spoil(data);
    EXPECT_THROW(Novelty{data}, Error);
  };
  refused([](Novelty::Data& d) { d.mean.pop_back(); });
  refused([](Novelty::Data& d) { d.scale[0] = 0.0; });
  refused([](Novelty::Data& d) { d.unit = std::nan(""); });
  refused([](Novelty::Data& d) { d.centres = Matrix(0, 5); });
  refused([](Novelty::Data& d) { d.centres(0, 0) = INFINITY; });
  refused([](Novelty::Data& d) { d.categories = {{4, 6}}; });
}

}  // namespace
}  // namespace uaspl
