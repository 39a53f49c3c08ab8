// Small tables and forests that several tests use.
#pragma once

#include <optional>

#include "tests/support.hpp"
#include "uaspl/forest/fit_forest.hpp"

namespace uaspl::testing {

inline constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

// Two numbers, one of them with missing cells, and a category of five levels; all of them tell
// something of the class.
struct MixedTable {
  DoubleMatrix table;
  std::vector<ForestColumn> columns = {{0}, {0}, {5}};
  std::vector<int> labels;
  std::size_t classes;
  std::vector<float> weights = {};
  ForestData data() const { return {table, columns, labels, classes, weights}; }
};
inline MixedTable mixed_table(std::size_t rows, std::size_t classes, std::uint64_t seed = 1) {
  MixedTable made;
  made.table = DoubleMatrix(rows, 3);
  made.labels = random_labels(rows, classes, seed);
  made.classes = classes;
  Stream stream(seed, "mixed table");
  for (std::size_t i = 0; i < rows; ++i) {
    const double k = made.labels[i];
    made.table(i, 0) = k + stream.normal();
    made.table(i, 1) =
        stream.uniform() < 0.1 + 0.2 * k ? kMissing : std::round(3.0 * stream.normal());
    made.table(i, 2) = static_cast<double>(
        stream.below(2) == 0 ? stream.below(5) : static_cast<std::uint64_t>(made.labels[i]) % 5);
  }
  return made;
}

inline FittedForest fit_all(const MixedTable& made, const ForestOptions& options,
                            std::size_t threads = 1) {
  Workers workers(threads);
  return *fit_forest(made.data(), first_rows(made.labels.size()), options, workers);
}

inline bool same(const State& a, const State& b) {
  return std::ranges::equal(a, b, [](const auto& one, const auto& other) {
    return one.first == other.first && one.second.shape == other.second.shape &&
           one.second.values == other.second.values;
  });
}

inline double accuracy(const ForestOpinions& opinions, std::span<const int> labels) {
  double right = 0.0;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const auto p = opinions.probabilities.row(i);
    right += std::ranges::max_element(p) - p.begin() == labels[i] ? 1.0 : 0.0;
  }
  return right / static_cast<double>(labels.size());
}

}  // namespace uaspl::testing
