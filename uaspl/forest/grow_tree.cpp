// Grows one tree, depth first, see grow_tree.hpp.
#include "uaspl/forest/grow_tree.hpp"

#include <algorithm>
#include <numeric>

#include "uaspl/forest/forest.hpp"

namespace uaspl {

TreeGrower::TreeGrower(const BinnedRows& rows, std::size_t classes, const TreeOptions& options)
    : rows_(rows),
      classes_(classes),
      options_(options),
      search_(rows, classes, options.min_leaf, options.one_cut),
      columns_(rows.columns.size()),
      weights_(classes) {
  if (options_.max_depth == 0 || options_.max_depth > kMostTreeDepth)
    options_.max_depth = kMostTreeDepth;
}

Tree TreeGrower::grow(std::vector<TreeRow>& rows, Stream& stream) {
  std::iota(columns_.begin(), columns_.end(), std::size_t{0});
  Tree tree;
  tree.nodes.emplace_back();
  open_.assign(1, {0, 0, rows.size(), 0, 0});
  while (!open_.empty()) {
    Open open = open_.back();
    open_.pop_back();
    const std::span<TreeRow> mine(rows.data() + open.begin, open.end - open.begin);
    const bool pure = sum_up(mine);
    const bool may_split = !pure && open.depth < options_.max_depth &&
                           mine.size() >= 2 * options_.min_leaf &&
                           tree.nodes.size() + 2 <= TreeNode::kMostNodes;
    if (may_split) {
      search_.begin(mine, weights_);
      open.constants = search(open.constants, stream);
    }
    if (!may_split || !search_.best().found()) {
      close_leaf(open, tree);
      continue;
    }
    const std::size_t left = tree.nodes.size();
    const TreeNode node = make_node(left - open.node, tree);
    tree.nodes[open.node] = node;
    tree.nodes.resize(left + 2);
    const std::size_t middle = open.begin + partition(node, tree, mine);
    open_.push_back({left + 1, middle, open.end, open.depth + 1, open.constants});
    open_.push_back({left, open.begin, middle, open.depth + 1, open.constants});
  }
  number_leaves(tree);
  return tree;
}

// Returns whether all rows are of one class.
bool TreeGrower::sum_up(std::span<const TreeRow> rows) {
  std::ranges::fill(weights_, 0.0);
  bool pure = true;
  for (const TreeRow& row : rows) {
    weights_[row.label] += row.weight;
    pure = pure && row.label == rows.front().label;
  }
  return pure;
}

// Looks at columns drawn without repetition, until enough of them left a choice; columns with one
// bin leave none, here and in all nodes below. If none of the columns has a split with large enough
// sides, further ones are looked at. Returns how many columns are known to leave no choice: they
// come first.
std::size_t TreeGrower::search(std::size_t constants, Stream& stream) {
  std::size_t looked = 0;
  for (std::size_t next = constants; next < columns_.size(); ++next) {
    if (looked >= options_.columns && search_.best().found()) break;
    const std::size_t drawn = next + stream.below(columns_.size() - next);
    std::swap(columns_[next], columns_[drawn]);
    if (search_.look(columns_[next], stream))
      ++looked;
    else
      std::swap(columns_[constants++], columns_[next]);
  }
  return constants;
}

TreeNode TreeGrower::make_node(std::size_t offset, Tree& tree) const {
  const Split& split = search_.best();
  if (!split.of_category)
    return TreeNode::of_numbers(offset, split.column, split.threshold, split.missing_left);
  tree.sets.push_back(split.left);
  return TreeNode::of_category(offset, split.column, tree.sets.size() - 1);
}

// Puts the rows that go left first, both sides in the order in which they are; returns their
// number. The order keeps the way through the cells of a column ascending.
std::size_t TreeGrower::partition(const TreeNode& node, const Tree& tree, std::span<TreeRow> rows) {
  const std::span<const std::uint8_t> cells = rows_.column(node.column());
  going_right_.resize(std::max(going_right_.size(), rows.size()));
  std::size_t left = 0;
  std::size_t right = 0;
  for (const TreeRow& row : rows) {
    const std::uint8_t bin = cells[row.row];
    const bool goes_right =
        node.is_category() ? !tree.sets[node.set()].has(bin) : node.side_of_number(bin) != 0;
    const TreeRow kept = row;
    rows[left] = kept;
    going_right_[right] = kept;
    left += goes_right ? 0 : 1;
    right += goes_right ? 1 : 0;
  }
  std::copy_n(going_right_.begin(), right, rows.begin() + static_cast<std::ptrdiff_t>(left));
  return left;
}

void TreeGrower::close_leaf(const Open& open, Tree& tree) {
  tree.nodes[open.node] = TreeNode::leaf(tree.leaves.size());
  double all = 0.0;
  for (std::size_t k = 0; k < classes_; ++k) {
    if (weights_[k] == 0.0) continue;
    const auto weight = static_cast<float>(weights_[k]);
    tree.classes.push_back({static_cast<std::uint32_t>(k), weight});
    all += static_cast<double>(weight);
  }
  tree.leaves.push_back({static_cast<std::uint32_t>(tree.classes.size()), static_cast<float>(all)});
}

// Puts the leaves into the order of their nodes.
void TreeGrower::number_leaves(Tree& tree) {
  std::vector<Leaf> leaves;
  std::vector<ClassWeight> classes;
  leaves.reserve(tree.leaves.size());
  classes.reserve(tree.classes.size());
  for (TreeNode& node : tree.nodes) {
    if (!node.is_leaf()) continue;
    const std::size_t old = node.leaf_number();
    const std::size_t begin = old == 0 ? 0 : tree.leaves[old - 1].end;
    for (std::size_t i = begin; i < tree.leaves[old].end; ++i) classes.push_back(tree.classes[i]);
    node = TreeNode::leaf(leaves.size());
    leaves.push_back({static_cast<std::uint32_t>(classes.size()), tree.leaves[old].weight});
  }
  tree.leaves = std::move(leaves);
  tree.classes = std::move(classes);
}

}  // namespace uaspl
