// Fits a forest to rows of a table: random trees (each on its own draw of the rows, with the best
// split of some drawn columns) or extremely randomised ones (on all rows, with the best of some
// drawn splits).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "uaspl/forest/forest.hpp"

namespace uaspl {

enum class ForestKind { kRandom, kExtremelyRandom };

struct ForestOptions {
  ForestKind kind = ForestKind::kRandom;
  std::size_t trees = 200;
  std::size_t min_leaf = 2;   // rows, at least; see docs/methods.md for what more of them cost
  std::size_t max_depth = 0;  // 0: as deep as the rows allow
  std::size_t columns = 0;    // that each node chooses from; 0: the square root of all
  std::size_t bin_rows = 5;   // that a bin of numbers has at least
  std::uint64_t seed = 0;
  std::function<bool()> stop = {};  // asked before each tree, from any thread
};

// What a forest is fitted to. All spans go by the rows of the table.
struct ForestData {
  const DoubleMatrix& table;
  std::span<const ForestColumn> columns;
  std::span<const int> labels;  // 0..classes-1
  std::size_t classes;
  std::span<const float> weights = {};  // empty: 1 each; a row of weight 0 is left out
};

struct FittedForest {
  Forest forest;
  // Of random trees: what those that did not draw a row say of it, for the rows of the fit.
  std::optional<ForestOpinions> out_of_bag;
};

// Fits a forest to the rows of these numbers. The same bits for any number of workers. Returns
// nothing if it was stopped. Throws an Error if sizes, labels, weights or options are impossible.
std::optional<FittedForest> fit_forest(const ForestData& data, std::span<const int> rows,
                                       const ForestOptions& options, Workers& workers);

// Returns the evidence scale with which the mean of the Dirichlet distribution, (1 + evidence) /
// (classes + all evidence), has the lowest log-loss, from opinions of trees that have not seen the
// rows. Opinions without evidence do not count.
double best_evidence_scale(const ForestOpinions& opinions, std::span<const int> labels);

}  // namespace uaspl
