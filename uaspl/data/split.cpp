// Splits rows, see split.hpp.
#include "uaspl/data/split.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "uaspl/base/error.hpp"
#include "uaspl/base/rng.hpp"

namespace uaspl {

Split train_test_split(std::size_t rows, double test_fraction, std::uint32_t seed) {
  const auto test_rows =
      static_cast<std::size_t>(std::ceil(test_fraction * static_cast<double>(rows)));
  if (test_rows == 0 || test_rows >= rows)
    throw Error("split: " + std::to_string(rows) + " row(s) leave nothing to train or to test on");
  Mt19937 words(seed);
  const std::vector<int> order = numpy_permutation(words, rows);
  const auto cut = order.begin() + static_cast<std::ptrdiff_t>(test_rows);
  return {.train = {cut, order.end()}, .test = {order.begin(), cut}};
}

Split stratified_split(std::span<const int> labels, std::size_t classes, double test_fraction,
                       std::uint64_t seed) {
  std::vector<std::vector<int>> members(classes);
  for (std::size_t i = 0; i < labels.size(); ++i)
    members[static_cast<std::size_t>(labels[i])].push_back(static_cast<int>(i));
  Split split;
  for (std::size_t k = 0; k < classes; ++k) {
    std::vector<int>& rows = members[k];
    if (rows.empty()) continue;
    Stream(seed, "held out", k).shuffle(rows);
    const auto wanted = std::llround(test_fraction * static_cast<double>(rows.size()));
    const auto cut = rows.begin() + std::min<std::ptrdiff_t>(wanted, std::ssize(rows) - 1);
    split.test.insert(split.test.end(), rows.begin(), cut);
    split.train.insert(split.train.end(), cut, rows.end());
  }
  std::ranges::sort(split.train);
  std::ranges::sort(split.test);
  return split;
}

}  // namespace uaspl
