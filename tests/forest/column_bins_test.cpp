// Tests of the bins that columns are put into.
#include "uaspl/forest/column_bins.hpp"

#include "tests/forest/forests.hpp"
#include "uaspl/base/error.hpp"
#include "uaspl/forest/bin_rows.hpp"

namespace uaspl::testing {
namespace {

BinnedRows bins_of(const std::vector<double>& values, ForestColumn column, std::size_t least) {
  Workers workers(1);
  const DoubleMatrix table(values.size(), 1, values);
  return bin_rows(table, std::vector{column}, first_rows(values.size()), least, workers);
}

TEST(ColumnBins, FewNumbersHaveOneBinEachWithEdgesMidway) {
  const BinnedRows binned = bins_of({3.0, 1.0, kMissing, 1.0, 7.0}, {}, 1);
  EXPECT_EQ(binned.columns[0].edges, (std::vector{2.0, 5.0}));
  EXPECT_EQ(std::vector<int>(binned.cells.begin(), binned.cells.end()),
            (std::vector{1, 0, 255, 0, 2}));
}

TEST(ColumnBins, AnEdgeIsInclusiveAndInfinityHasABin) {
  const ColumnBins bins{{}, {2.0, 5.0}, {}};
  EXPECT_EQ(bins.bin(2.0), 0);
  EXPECT_EQ(bins.bin(std::nextafter(2.0, 3.0)), 1);
  EXPECT_EQ(bins.bin(-INFINITY), 0);
  EXPECT_EQ(bins.bin(INFINITY), 2);
  EXPECT_EQ(bins.bin(kMissing), kMissingBin);
}

TEST(ColumnBins, TheBinIsTheNumberOfEdgesBelow) {
  for (std::size_t count = 0; count <= kMostEdges; ++count) {
    ColumnBins bins;
    for (std::size_t e = 0; e < count; ++e) bins.edges.push_back(static_cast<double>(2 * e));
    for (int x = -1; x <= static_cast<int>(2 * count); ++x)
      ASSERT_EQ(bins.bin(x),
                std::ranges::lower_bound(bins.edges, static_cast<double>(x)) - bins.edges.begin())
          << count << ' ' << x;
  }
}

TEST(ColumnBins, ManyNumbersHaveAboutAsManyRowsABin) {
  std::vector<double> values(10000);
  Stream stream(3, "values");
  for (double& x : values) x = std::exp(3.0 * stream.normal());
  const BinnedRows binned = bins_of(values, {}, 5);
  ASSERT_EQ(binned.columns[0].edges.size(), kMostEdges);
  std::vector<int> rows(255, 0);
  for (const std::uint8_t cell : binned.cells) ++rows.at(cell);
  EXPECT_GE(*std::ranges::min_element(rows), 30);
  EXPECT_LE(*std::ranges::max_element(rows), 50);
}

TEST(ColumnBins, EachBinHasTheLeastNumberOfRows) {
  std::vector<double> values(103);
  Stream stream(4, "values");
  for (double& x : values) x = stream.normal();
  const BinnedRows binned = bins_of(values, {}, 5);
  std::vector<int> rows(binned.columns[0].edges.size() + 1, 0);
  for (const std::uint8_t cell : binned.cells) ++rows.at(cell);
  EXPECT_GE(rows.size(), 15U);
  EXPECT_GE(*std::ranges::min_element(rows), 5);
}

TEST(ColumnBins, LongNumbersAreToldApart) {
  // Milliseconds since 1970; as float, these are one number.
  const BinnedRows binned = bins_of({1.7e12, 1.7e12 + 1.0, 1.7e12 + 2.0}, {}, 1);
  EXPECT_EQ(binned.columns[0].edges.size(), 2U);
  // Neighbouring doubles have no edge between them that two floats could hold; nothing is lost
  // but the difference.
  const BinnedRows close = bins_of({1.1, std::nextafter(1.1, 2.0)}, {}, 1);
  EXPECT_LE(close.columns[0].edges.size(), 1U);
}

TEST(ColumnBins, NumbersBeyondFloatHaveFiniteEdges) {
  const BinnedRows binned = bins_of({-1e300, 0.0, INFINITY, 1.0}, {}, 1);
  ASSERT_EQ(binned.columns[0].edges.size(), 3U);
  check_bins(binned.columns[0], 0);
}

TEST(ColumnBins, LevelsHaveBinsAndWhatIsNoneIsAnother) {
  const BinnedRows binned = bins_of({2.0, 0.0, kMissing, 0.0}, {3}, 5);
  const ColumnBins& bins = binned.columns[0];
  EXPECT_EQ(bins.bin(0.0), 0);
  EXPECT_EQ(bins.bin(2.0), 2);
  for (const double unseen : std::vector<double>{1.0, -1.0, 3.0, 0.5, 1e300, -INFINITY})
    EXPECT_EQ(bins.bin(unseen), kOtherBin) << unseen;
  EXPECT_EQ(bins.bin(kMissing), kMissingBin);
}

TEST(ColumnBins, OfManyLevelsTheRarestShareABin) {
  std::vector<double> values;
  for (int level = 0; level < 300; ++level)
    for (int i = 0; i < (level % 2 == 0 ? 3 : 1); ++i) values.push_back(level);
  const ColumnBins bins = bins_of(values, {300}, 1).columns[0];
  EXPECT_EQ(std::ranges::count(bins.levels, kOtherBin), 300 - 254);
  for (int level = 0; level < 300; level += 2) EXPECT_NE(bins.bin(level), kOtherBin);
}

TEST(ColumnBins, ImpossibleBinsAreRefused) {
  EXPECT_THROW(check_bins({{}, {1.0, 1.0}, {}}, 0), Error);
  EXPECT_THROW(check_bins({{}, {INFINITY}, {}}, 0), Error);
  EXPECT_THROW(check_bins({{}, std::vector<double>(255, 0.0), {}}, 0), Error);
  EXPECT_THROW(check_bins({{2}, {}, {0}}, 0), Error);
  EXPECT_THROW(check_bins({{1}, {}, {kMissingBin}}, 0), Error);
  EXPECT_THROW(check_bins({{1}, {1.0}, {0}}, 0), Error);
}

}  // namespace
}  // namespace uaspl::testing
