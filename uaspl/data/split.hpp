// Splits rows into a training and a test part.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace uaspl {

struct Split {
  std::vector<int> train;
  std::vector<int> test;
};

// Splits as scikit-learn's train_test_split(test_size=..., random_state=seed), row for row, without
// stratification.
Split train_test_split(std::size_t rows, double test_fraction, std::uint32_t seed);

// Takes about the given share of every class for testing, drawn by the seed; a class keeps at least
// one training row. Both parts are in ascending order.
Split stratified_split(std::span<const int> labels, std::size_t classes, double test_fraction,
                       std::uint64_t seed);

}  // namespace uaspl
