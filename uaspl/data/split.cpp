// Splitting rows, see split.hpp.
#include "uaspl/data/split.hpp"

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

}  // namespace uaspl
