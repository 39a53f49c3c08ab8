// Looks for the split of a node of a tree: which column, and which of its bins go left.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "uaspl/base/rng.hpp"
#include "uaspl/forest/bin_rows.hpp"
#include "uaspl/forest/tree.hpp"

namespace uaspl {

// A row in a node of a tree that grows.
struct TreeRow {
  std::uint32_t row;
  std::uint32_t label;
  double weight;
};

struct Split {
  double score = -std::numeric_limits<double>::infinity();  // the purer the sides, the higher
  std::size_t column = 0;
  bool of_category = false;
  std::size_t threshold = 0;  // of numbers: the last bin that goes left
  bool missing_left = false;
  BinSet left;  // of a category; levels that no row of the node has are with the larger side
  bool found() const { return score > -std::numeric_limits<double>::infinity(); }
};

// Sums up one column of a node's rows after the other, as weights of each class in each bin, and
// keeps the best split. The Gini impurity after a split is lowest where the sum over both sides of
// (sum over the classes of weight^2) / (weight of the side) is highest.
class SplitSearch {
 public:
  // Both sides have at least `min_leaf` rows. With `one_cut`, one cut of each column is drawn and
  // compared, otherwise all of them are.
  SplitSearch(const BinnedRows& rows, std::size_t classes, std::size_t min_leaf, bool one_cut);

  // Begins a node by its rows and the weight of each class in it.
  void begin(std::span<const TreeRow> rows, std::span<const double> weights);

  // Compares the column's splits with the best so far. Returns false if there is nothing to choose
  // from: all rows have the same bin.
  bool look(std::size_t column, Stream& stream);

  const Split& best() const { return best_; }

 private:
  // A bin on its way from the right to the left side; after the last one of a group, the sides are
  // compared.
  struct Step {
    std::size_t bin;
    double key;
    bool compare;
  };
  struct Cut {
    double score = -std::numeric_limits<double>::infinity();
    std::size_t steps = 0;
    std::size_t left_rows = 0;
  };
  // One side of a split, or all of the node, by the weights of the classes.
  struct Side {
    std::vector<double> weights;
    double weight = 0.0;
    double squares = 0.0;  // sum of the weights' squares
    double shared = 0.0;   // sum of the weights' products with the node's
    std::size_t rows = 0;
    void clear(std::size_t classes);
  };

  bool look_at_all_cuts(std::size_t column);
  bool look_at_one_cut(std::size_t column, Stream& stream);
  bool look_at_category(std::size_t column, Stream& stream);
  void fill(std::span<const std::uint8_t> cells);
  void forget();
  void move_left(std::size_t bin);
  double score() const;
  Cut sweep();
  void sweep_numbers(std::size_t column, bool missing_left);
  void cut_at(std::size_t column, std::size_t threshold, bool missing, bool missing_left);
  void take(std::size_t column, double score, std::size_t threshold, bool missing_left);
  void order_levels(Stream& stream);
  void draw_subset(Stream& stream);

  const BinnedRows& rows_;
  std::size_t classes_;
  std::size_t min_leaf_;
  bool one_cut_;

  std::span<const TreeRow> node_rows_;
  Side node_;
  Split best_;

  std::vector<double> weights_;  // by bin and class
  std::array<std::uint32_t, kBins> bin_rows_{};
  std::vector<std::size_t> bins_;    // those that are there, ascending
  std::vector<std::uint8_t> cells_;  // of the node's rows
  std::vector<double> sums_;
  std::vector<Step> steps_;
  Side left_;
};

}  // namespace uaspl
