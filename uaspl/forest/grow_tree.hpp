// Grows one tree of a forest on training rows.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "uaspl/forest/split.hpp"
#include "uaspl/forest/tree.hpp"

namespace uaspl {

struct TreeOptions {
  std::size_t columns = 1;  // that a node chooses from
  std::size_t min_leaf = 1;
  std::size_t max_depth = 0;
  bool one_cut = false;  // a drawn cut a column, instead of the best one
};

// Has the scratch for trees of the same rows, grown one after the other.
class TreeGrower {
 public:
  TreeGrower(const BinnedRows& rows, std::size_t classes, const TreeOptions& options);

  // The same rows in the same order and the same stream give the same tree. The rows are put into
  // the order of the leaves.
  Tree grow(std::vector<TreeRow>& rows, Stream& stream);

 private:
  // A node that is to be split or made a leaf.
  struct Open {
    std::size_t node;
    std::size_t begin;  // of its rows
    std::size_t end;
    std::size_t depth;
    std::size_t constants;  // so many of columns_ are known to have one bin
  };

  bool sum_up(std::span<const TreeRow> rows);
  std::size_t search(std::size_t constants, Stream& stream);
  TreeNode make_node(std::size_t offset, Tree& tree) const;
  std::size_t partition(const TreeNode& node, const Tree& tree, std::span<TreeRow> rows);
  void close_leaf(const Open& open, Tree& tree);
  void number_leaves(Tree& tree);

  const BinnedRows& rows_;
  std::size_t classes_;
  TreeOptions options_;
  SplitSearch search_;
  std::vector<std::size_t> columns_;
  std::vector<double> weights_;  // of the classes in a node
  std::vector<TreeRow> going_right_;
  std::vector<Open> open_;
};

}  // namespace uaspl
