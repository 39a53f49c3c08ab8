// Asks the trees of a forest, see forest.hpp. Eight walks go on at the same time, so that none
// waits for memory alone: eight rows down one tree, or one row down eight trees.
#include "uaspl/forest/forest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "uaspl/base/error.hpp"

namespace uaspl {
namespace {

constexpr std::size_t kLanes = 8;
// Rows that are asked about together, so that a tree comes from memory once for all of them.
constexpr std::size_t kMostBlockRows = 1024;
constexpr std::size_t kBlockSums = 65536;  // less rows where there are many classes
constexpr std::size_t kFewRows = 4;        // fewer are not worth a walk of eight rows
constexpr double kMostEvidenceScale = 1e9;

struct Lanes {
  std::array<const Tree*, kLanes> trees;
  std::array<const std::uint8_t*, kLanes> bins;
  std::array<std::uint32_t, kLanes> at;
};

// Walks all lanes from their roots to their leaves.
template <bool kCategories>
void walk(Lanes& lanes) {
  lanes.at.fill(0);
  std::uint32_t moved = 1;
  while (moved != 0) {
    moved = 0;
    for (std::size_t l = 0; l < kLanes; ++l) {
      const TreeNode node = lanes.trees[l]->nodes[lanes.at[l]];
      const std::uint8_t bin = lanes.bins[l][node.column()];
      std::uint32_t side = node.side_of_number(bin);
      if constexpr (kCategories)
        if (node.is_category()) side = lanes.trees[l]->sets[node.set()].has(bin) ? 0 : 1;
      const std::uint32_t offset = node.offset();
      lanes.at[l] += offset + (offset != 0 ? side : 0);
      moved |= offset;
    }
  }
}

void check_leaves(const Tree& tree, std::size_t classes) {
  std::size_t begin = 0;
  for (const Leaf& leaf : tree.leaves) {
    if (leaf.end < begin || leaf.end > tree.classes.size())
      throw Error("a leaf of a forest without its classes");
    double weight = 0.0;
    for (std::size_t i = begin; i < leaf.end; ++i) {
      const ClassWeight& one = tree.classes[i];
      if (one.klass >= classes) throw Error("a leaf of a forest with an unknown class");
      if (!(one.weight > 0.0F && std::isfinite(one.weight)))
        throw Error("a leaf of a forest with an impossible weight");
      weight += static_cast<double>(one.weight);
    }
    if (static_cast<float>(weight) != leaf.weight || !(leaf.weight > 0.0F) ||
        !std::isfinite(leaf.weight))
      throw Error("a leaf of a forest whose weights do not add up");
    begin = leaf.end;
  }
  if (begin != tree.classes.size()) throw Error("a tree with classes of no leaf");
}

// Throws unless each node but the root is the child of one node before it, and fits its column.
void check_nodes(const Tree& tree, std::span<const ColumnBins> columns) {
  const std::size_t size = tree.nodes.size();
  if (size == 0 || size > TreeNode::kMostNodes) throw Error("a tree of an impossible size");
  std::vector<std::uint8_t> depths(size, 0);  // 0: nobody's child so far
  depths[0] = 1;
  std::size_t leaves = 0;
  for (std::size_t i = 0; i < size; ++i) {
    const TreeNode& node = tree.nodes[i];
    if (depths[i] == 0) throw Error("a node of a tree that nothing leads to");
    if (node.is_leaf()) {
      if (node.leaf_number() != leaves++ || node.column() != 0)
        throw Error("a leaf of a tree out of order");
      continue;
    }
    const std::size_t left = i + node.offset();
    if (left + 1 >= size || depths[left] != 0 || depths[left + 1] != 0)
      throw Error("a node of a tree with impossible children");
    if (depths[i] > kMostTreeDepth) throw Error("a tree that is too deep");
    depths[left] = depths[left + 1] = static_cast<std::uint8_t>(depths[i] + 1);
    if (node.column() >= columns.size() ||
        node.is_category() != columns[node.column()].column.is_category())
      throw Error("a node of a tree that does not fit its column");
    if (node.is_category() ? node.set() >= tree.sets.size()
                           : node.threshold() > columns[node.column()].edges.size())
      throw Error("a node of a tree with an impossible threshold");
  }
  if (leaves != tree.leaves.size()) throw Error("a tree with another number of leaves");
}

}  // namespace

Forest::Forest(std::vector<ColumnBins> columns, std::size_t classes, std::vector<Tree> trees)
    : columns_(std::move(columns)), classes_(classes), trees_(std::move(trees)) {
  if (columns_.empty() || columns_.size() > TreeNode::kMostColumns)
    throw Error(fmt::format("a forest for {} columns; expected 1 to {}", columns_.size(),
                            TreeNode::kMostColumns));
  if (classes_ < 1 || classes_ > kMostForestClasses)
    throw Error(
        fmt::format("a forest for {} classes; expected 1 to {}", classes_, kMostForestClasses));
  if (trees_.empty() || trees_.size() > kMostTrees)
    throw Error(fmt::format("a forest of {} trees; expected 1 to {}", trees_.size(), kMostTrees));
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    check_bins(columns_[i], i);
    has_categories_ = has_categories_ || columns_[i].column.is_category();
  }
  for (const Tree& tree : trees_) {
    check_nodes(tree, columns_);
    check_leaves(tree, classes_);
  }
}

void Forest::set_evidence_scale(double scale) {
  if (!(scale > 0.0 && scale <= kMostEvidenceScale))
    throw Error(fmt::format("an evidence scale of {}; expected a number above 0, at most {:g}",
                            scale, kMostEvidenceScale));
  evidence_scale_ = static_cast<double>(static_cast<float>(scale));  // as it is saved
}

// The rows that are asked about together, and what the trees have said of them so far.
class Forest::Block {
 public:
  Block(const Forest& forest, std::size_t rows, const Asked* asked)
      : forest_(forest),
        asked_(asked),
        numbers_(rows),
        bins_(rows * forest.columns_.size()),
        sums_(rows * forest.classes_),
        said_(rows) {}

  template <typename RowNumber>
  void ask(const DoubleMatrix& rows, std::size_t first, std::size_t count,
           const RowNumber& number) {
    const std::size_t width = forest_.columns_.size();
    std::fill(sums_.begin(), sums_.end(), 0.0);
    std::fill(said_.begin(), said_.end(), Said{});
    for (std::size_t i = 0; i < count; ++i) {
      numbers_[i] = number(first + i);
      const std::span<const double> row = rows.row(numbers_[i]);
      for (std::size_t j = 0; j < width; ++j)
        bins_[i * width + j] = forest_.columns_[j].bin(row[j]);
    }
    if (count < kFewRows)
      for (std::size_t i = 0; i < count; ++i) ask_trees(i);
    else
      for (std::size_t t = 0; t < forest_.trees_.size(); ++t) ask_rows(t, count);
  }

  void answer(std::size_t first, std::size_t count, ForestOpinions& opinions) const {
    for (std::size_t i = 0; i < count; ++i) {
      const std::span<float> p = opinions.probabilities.row(first + i);
      const Said& said = said_[i];
      const double all = static_cast<double>(said.trees);
      for (std::size_t k = 0; k < p.size(); ++k)
        p[k] = static_cast<float>(said.trees == 0 ? 1.0 / static_cast<double>(p.size())
                                                  : sums_[i * p.size() + k] / all);
      const double amount = forest_.evidence_scale_ * said.weight / std::max(all, 1.0);
      opinions.amounts[first + i] = static_cast<float>(
          std::min(amount, static_cast<double>(std::numeric_limits<float>::max())));
    }
  }

 private:
  struct Said {
    double weight = 0.0;  // of the leaves
    std::size_t trees = 0;
  };

  void walk_lanes() {
    if (forest_.has_categories_)
      walk<true>(lanes_);
    else
      walk<false>(lanes_);
  }

  void ask_rows(std::size_t t, std::size_t count) {
    const std::size_t width = forest_.columns_.size();
    asking_.clear();
    for (std::size_t i = 0; i < count; ++i)
      if (!asked_ || (*asked_)(t, numbers_[i])) asking_.push_back(i);
    lanes_.trees.fill(&forest_.trees_[t]);
    for (std::size_t i = 0; i < asking_.size(); i += kLanes) {
      for (std::size_t l = 0; l < kLanes; ++l)
        lanes_.bins[l] = bins_.data() + asking_[std::min(i + l, asking_.size() - 1)] * width;
      walk_lanes();
      for (std::size_t l = 0; l < kLanes && i + l < asking_.size(); ++l)
        add(t, asking_[i + l], lanes_.at[l]);
    }
  }

  void ask_trees(std::size_t i) {
    const std::size_t trees = forest_.trees_.size();
    lanes_.bins.fill(bins_.data() + i * forest_.columns_.size());
    for (std::size_t t = 0; t < trees; t += kLanes) {
      for (std::size_t l = 0; l < kLanes; ++l)
        lanes_.trees[l] = &forest_.trees_[std::min(t + l, trees - 1)];
      walk_lanes();
      for (std::size_t l = 0; l < kLanes && t + l < trees; ++l)
        if (!asked_ || (*asked_)(t + l, numbers_[i])) add(t + l, i, lanes_.at[l]);
    }
  }

  // Adds the shares of the classes in a leaf.
  void add(std::size_t t, std::size_t i, std::uint32_t node) {
    const Tree& tree = forest_.trees_[t];
    const std::uint32_t number = tree.nodes[node].leaf_number();
    const Leaf& leaf = tree.leaves[number];
    const double weight = static_cast<double>(leaf.weight);
    double* const sums = sums_.data() + i * forest_.classes_;
    for (std::uint32_t at = number == 0 ? 0 : tree.leaves[number - 1].end; at < leaf.end; ++at)
      sums[tree.classes[at].klass] += static_cast<double>(tree.classes[at].weight) / weight;
    said_[i].weight += weight;
    ++said_[i].trees;
  }

  const Forest& forest_;
  const Asked* asked_;
  std::vector<std::size_t> numbers_;
  std::vector<std::uint8_t> bins_;
  std::vector<double> sums_;  // row by row
  std::vector<Said> said_;
  std::vector<std::size_t> asking_;  // rows of one tree
  Lanes lanes_{};
};

template <typename RowNumber>
ForestOpinions Forest::predict_all(const DoubleMatrix& rows, std::size_t count,
                                   const RowNumber& number, const Asked* asked,
                                   Workers* workers) const {
  if (rows.cols() != columns_.size())
    throw Error(fmt::format("rows of {} columns for a forest of {}", rows.cols(), columns_.size()));
  ForestOpinions opinions{Matrix(count, classes_), std::vector<float>(count)};
  const std::size_t most = std::clamp(kBlockSums / classes_, kLanes, kMostBlockRows);
  const std::size_t blocks = (count + most - 1) / most;
  const auto ask = [&](std::size_t b, std::size_t /*worker*/) {
    const std::size_t first = b * most;
    const std::size_t size = std::min(most, count - first);
    Block block(*this, size, asked);
    block.ask(rows, first, size, number);
    block.answer(first, size, opinions);
  };
  if (workers && blocks > 1)
    workers->run(blocks, ask);
  else
    for (std::size_t b = 0; b < blocks; ++b) ask(b, 0);
  return opinions;
}

ForestOpinions Forest::predict(const DoubleMatrix& rows, Workers* workers) const {
  return predict_all(
      rows, rows.rows(), [](std::size_t i) { return i; }, nullptr, workers);
}

ForestOpinions Forest::predict(const DoubleMatrix& rows, std::span<const int> numbers,
                               const Asked& asked, Workers* workers) const {
  const auto number = [&](std::size_t i) { return static_cast<std::size_t>(numbers[i]); };
  return predict_all(rows, numbers.size(), number, asked ? &asked : nullptr, workers);
}

}  // namespace uaspl
