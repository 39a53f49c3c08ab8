// Tests of single trees: splits are the best there are, found by trying all of them.
#include "uaspl/forest/grow_tree.hpp"

#include "tests/forest/forests.hpp"

namespace uaspl::testing {
namespace {

struct Grown {
  BinnedRows binned;
  Tree tree;
};

std::vector<TreeRow> rows_of(const MixedTable& made) {
  std::vector<TreeRow> rows;
  for (std::uint32_t i = 0; i < made.labels.size(); ++i)
    rows.push_back({i, static_cast<std::uint32_t>(made.labels[i]),
                    made.weights.empty() ? 1.0 : static_cast<double>(made.weights[i])});
  return rows;
}

Grown grow(const MixedTable& made, const TreeOptions& options, std::uint64_t seed = 1) {
  Workers workers(1);
  Grown grown{bin_rows(made.table, made.columns, first_rows(made.labels.size()), 1, workers), {}};
  Stream stream(seed, "test tree");
  std::vector<TreeRow> rows = rows_of(made);
  grown.tree = TreeGrower(grown.binned, made.classes, options).grow(rows, stream);
  return grown;
}

// The sum over both sides of (sum of the classes' weights^2) / weight, where bit i of `left` says
// that bin number i of the column's bins goes left; nothing if a side has too few rows.
std::optional<double> score_of(const MixedTable& made, std::span<const std::uint8_t> cells,
                               const BinSet& left, std::size_t min_leaf) {
  std::vector<double> weights[2] = {std::vector<double>(made.classes),
                                    std::vector<double>(made.classes)};
  std::size_t rows[2] = {0, 0};
  for (const TreeRow& row : rows_of(made)) {
    const int side = left.has(cells[row.row]) ? 0 : 1;
    weights[side][row.label] += row.weight;
    ++rows[side];
  }
  if (rows[0] < min_leaf || rows[1] < min_leaf) return std::nullopt;
  double score = 0.0;
  for (const auto& side : weights) {
    const double all = std::accumulate(side.begin(), side.end(), 0.0);
    for (const double weight : side) score += weight * weight / all;
  }
  return score;
}

BinSet left_of(const Tree& tree, const TreeNode& node) {
  if (node.is_category()) return tree.sets[node.set()];
  BinSet left;
  for (std::size_t bin = 0; bin < kBins; ++bin)
    if (node.side_of_number(static_cast<std::uint8_t>(bin)) == 0)
      left.insert(static_cast<std::uint8_t>(bin));
  return left;
}

double best_score(const MixedTable& made, const BinnedRows& binned, std::size_t min_leaf) {
  double best = 0.0;
  for (std::size_t j = 0; j < made.columns.size(); ++j) {
    const auto cells = binned.column(j);
    const auto look = [&](const BinSet& left) {
      if (const auto score = score_of(made, cells, left, min_leaf)) best = std::max(best, *score);
    };
    if (made.columns[j].is_category()) {
      for (unsigned subset = 1; subset < 1U << made.columns[j].levels; ++subset) {
        BinSet left;
        left.words[0] = subset;
        look(left);
      }
      continue;
    }
    for (std::size_t threshold = 0; threshold <= binned.columns[j].edges.size(); ++threshold)
      for (const bool missing_left : {false, true})
        look(left_of({}, TreeNode::of_numbers(1, j, threshold, missing_left)));
  }
  return best;
}

TEST(GrowTree, TheFirstSplitIsTheBestThereIs) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    MixedTable made = mixed_table(60, 2, seed);
    Stream stream(seed, "weights");
    if (seed % 2 == 0)
      for (std::size_t i = 0; i < 60; ++i)
        made.weights.push_back(static_cast<float>(0.1 + stream.uniform()));
    if (seed % 3 == 0)  // only the category, or only the column with missing cells
      for (std::size_t i = 0; i < 60; ++i) made.table(i, 0) = 1.0;
    const Grown grown = grow(made, {.columns = 3, .min_leaf = 2, .max_depth = 1});
    const TreeNode& root = grown.tree.nodes[0];
    ASSERT_FALSE(root.is_leaf());
    const auto found =
        score_of(made, grown.binned.column(root.column()), left_of(grown.tree, root), 2);
    ASSERT_TRUE(found);
    EXPECT_NEAR(*found, best_score(made, grown.binned, 2), 1e-9) << seed;
  }
}

TEST(GrowTree, EveryLeafHasEnoughRowsAndAllRowsAreInOne) {
  for (const bool one_cut : {false, true})
    for (const std::size_t classes : {2, 4}) {
      const MixedTable made = mixed_table(300, classes);
      const Grown grown = grow(made, {.columns = 2, .min_leaf = 7, .one_cut = one_cut});
      EXPECT_GT(grown.tree.leaves.size(), 5U);
      double all = 0.0;
      for (const Leaf& leaf : grown.tree.leaves) {
        EXPECT_GE(leaf.weight, 7.0F);
        all += static_cast<double>(leaf.weight);
      }
      EXPECT_EQ(all, 300.0);
    }
}

TEST(GrowTree, ALeafOfOneRowIsPure) {
  const MixedTable made = mixed_table(200, 3);
  for (const bool one_cut : {false, true}) {
    const Grown grown = grow(made, {.columns = 1, .min_leaf = 1, .one_cut = one_cut});
    std::size_t begin = 0;
    for (const Leaf& leaf : grown.tree.leaves) {
      EXPECT_EQ(leaf.end, begin + 1);
      begin = leaf.end;
    }
  }
}

TEST(GrowTree, DepthIsLimited) {
  const Grown grown = grow(mixed_table(300, 2), {.columns = 3, .max_depth = 3});
  EXPECT_LE(grown.tree.leaves.size(), 8U);
  EXPECT_GT(grown.tree.leaves.size(), 4U);
}

TEST(GrowTree, MissingCellsGoWithTheLargerSideWhereNoneWasSeen) {
  MixedTable made{DoubleMatrix(10, 1), {{0}}, {}, 2};
  for (std::size_t i = 0; i < 10; ++i) {
    made.table(i, 0) = static_cast<double>(i);
    made.labels.push_back(i < 7 ? 0 : 1);
  }
  const TreeNode node = grow(made, {}).tree.nodes[0];
  EXPECT_EQ(node.threshold(), 6U);
  EXPECT_EQ(node.side_of_number(kMissingBin), 0U);
  for (int& label : made.labels) label = 0;
  made.labels[0] = made.labels[1] = 1;
  EXPECT_EQ(grow(made, {}).tree.nodes[0].side_of_number(kMissingBin), 1U);
}

TEST(GrowTree, MissingCellsMayTellTheClass) {
  MixedTable made{DoubleMatrix(12, 1), {{0}}, {}, 2};
  for (std::size_t i = 0; i < 12; ++i) {
    made.table(i, 0) = i % 3 == 0 ? kMissing : static_cast<double>(i % 2);
    made.labels.push_back(i % 3 == 0 ? 1 : 0);
  }
  for (const bool one_cut : {false, true}) {
    // With one cut, a threshold between the numbers may come first.
    const Grown grown = grow(made, {.one_cut = one_cut});
    for (const Leaf& leaf : grown.tree.leaves) EXPECT_GT(leaf.weight, 0.0F);
    EXPECT_TRUE(one_cut || grown.tree.leaves.size() == 2);
    EXPECT_EQ(grown.tree.classes.size(), grown.tree.leaves.size());
  }
}

TEST(GrowTree, UnseenLevelsGoWithTheLargerSide) {
  MixedTable made{DoubleMatrix(12, 1), {{4}}, {}, 2};
  for (std::size_t i = 0; i < 12; ++i) {
    made.table(i, 0) = static_cast<double>(i % 3);  // level 3 is never seen
    made.labels.push_back(i % 3 == 1 ? 1 : 0);
  }
  for (const bool swapped : {false, true}) {
    if (swapped)
      for (int& label : made.labels) label = 1 - label;
    const Grown grown = grow(made, {.min_leaf = 2});
    const BinSet& left = grown.tree.sets.at(grown.tree.nodes[0].set());
    EXPECT_NE(left.has(0), left.has(1));
    EXPECT_EQ(left.has(0), left.has(2));
    for (const std::uint8_t bin : {std::uint8_t{3}, kOtherBin, kMissingBin})
      EXPECT_EQ(left.has(bin), left.has(0));
  }
}

}  // namespace
}  // namespace uaspl::testing
