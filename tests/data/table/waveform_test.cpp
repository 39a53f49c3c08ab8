// Breiman's waves have the moments that their definition gives them.
#include "uaspl/data/table/waveform.hpp"

#include <algorithm>

#include "tests/support.hpp"

namespace uaspl {
namespace {

TEST(Waveform, HasItsKnownMoments) {
  const Dataset data = make_waveform(30000, 1);
  ASSERT_EQ(data.table().features.cols(), 21U);
  std::vector<double> mean(21), square(21), count(3);
  for (std::size_t i = 0; i < data.rows(); ++i) {
    count[static_cast<std::size_t>(data.labels[i])] += 1;
    if (data.labels[i] != 0) continue;
    for (std::size_t j = 0; j < 21; ++j) mean[j] += data.table().features(i, j);
  }
  for (const double c : count) EXPECT_NEAR(c, 10000, 350);
  // Class 0 mixes the waves with tops at 11 and 15 half and half: 3 + 1 at 11, 2 + 2 at 13, 0 at 1.
  EXPECT_NEAR(mean[10] / count[0], 4.0, 0.06);
  EXPECT_NEAR(mean[12] / count[0], 4.0, 0.06);
  EXPECT_NEAR(mean[0] / count[0], 0.0, 0.04);
  for (std::size_t i = 0; i < data.rows(); ++i)
    if (data.labels[i] == 0) square[0] += data.table().features(i, 0) * data.table().features(i, 0);
  EXPECT_NEAR(square[0] / count[0], 1.0, 0.05);  // nothing but noise there
  EXPECT_TRUE(std::ranges::equal(data.table().features.row(5),
                                 make_waveform(10, 1).table().features.row(5)));
}

}  // namespace
}  // namespace uaspl
