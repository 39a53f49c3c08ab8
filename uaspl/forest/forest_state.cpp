// A forest as named tensors and back. Whatever the tensors hold, load() gives a forest that can be
// asked, or an Error.
#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <utility>

#include "uaspl/base/error.hpp"
#include "uaspl/forest/forest.hpp"

namespace uaspl {
namespace {

// Whole numbers up to here are exact as float.
constexpr std::size_t kMostWhole = std::size_t{1} << 24;
constexpr std::size_t kSetWords = 16;  // of 16 bits each
constexpr std::size_t kNodeWords = 4;  // column, threshold or set, offset, missing cells go left

template <typename T>
float as_float(T whole) {
  return static_cast<float>(whole);
}

// Fills a tensor with rows of numbers.
class Writer {
 public:
  Writer(State& state, const char* name, std::size_t width) : tensor_(state[name]), width_(width) {
    tensor_.shape = width == 0 ? std::vector<std::size_t>{0} : std::vector<std::size_t>{0, width};
  }
  void add(std::initializer_list<float> row) {
    tensor_.values.insert(tensor_.values.end(), row);
    tensor_.shape[0] = tensor_.values.size() / std::max<std::size_t>(width_, 1);
  }

 private:
  Tensor& tensor_;
  std::size_t width_;
};

// Reads a tensor number by number, to its end and not beyond.
class Reader {
 public:
  Reader(const State& state, const char* name, std::size_t width) : name_(name) {
    const auto found = state.find(name);
    if (found == state.end()) throw Error(fmt::format("a forest without the tensor {}", name));
    tensor_ = &found->second;
    const auto& shape = tensor_->shape;
    const bool fits = width == 0 ? shape.size() == 1 : shape.size() == 2 && shape[1] == width;
    const std::size_t each = std::max<std::size_t>(width, 1);
    if (!fits || tensor_->values.size() % each != 0 || tensor_->values.size() / each != shape[0])
      fail("has another shape");
  }

  std::size_t rows() const { return tensor_->shape[0]; }
  bool at_end() const { return next_ == tensor_->values.size(); }
  float number() {
    if (at_end()) fail("is too short");
    return tensor_->values[next_++];
  }
  // A whole number from 0 to `most`.
  std::size_t whole(std::size_t most) {
    const double value = static_cast<double>(number());
    if (!(value >= 0.0 && value <= static_cast<double>(most)) || value != std::floor(value))
      fail("has an impossible number");
    return static_cast<std::size_t>(value);
  }
  void expect_end() const {
    if (!at_end()) fail("is too long");
  }

 private:
  [[noreturn]] void fail(const char* what) const {
    throw Error(fmt::format("tensor {} of a forest {}", name_, what));
  }

  const char* name_;
  const Tensor* tensor_ = nullptr;
  std::size_t next_ = 0;
};

void save_columns(std::span<const ColumnBins> columns, State& state) {
  Writer sizes(state, "columns", 2);
  Writer edges(state, "edges", 2);
  Writer levels(state, "levels", 0);
  for (const ColumnBins& column : columns) {
    sizes.add({as_float(column.levels.size()), as_float(column.edges.size())});
    for (const double edge : column.edges) {
      const auto first = static_cast<float>(edge);
      edges.add({first, static_cast<float>(edge - static_cast<double>(first))});
    }
    for (const std::uint8_t bin : column.levels) levels.add({as_float(bin)});
  }
}

std::vector<ColumnBins> load_columns(const State& state) {
  Reader sizes(state, "columns", 2);
  Reader edges(state, "edges", 2);
  Reader levels(state, "levels", 0);
  std::vector<ColumnBins> columns;
  while (!sizes.at_end()) {
    ColumnBins& column = columns.emplace_back();
    column.column.levels = sizes.whole(kMostWhole);
    const std::size_t count = sizes.whole(kMostEdges);
    for (std::size_t i = 0; i < column.column.levels; ++i)
      column.levels.push_back(static_cast<std::uint8_t>(levels.whole(kOtherBin)));
    for (std::size_t i = 0; i < count; ++i) {
      const auto first = static_cast<double>(edges.number());
      column.edges.push_back(first + static_cast<double>(edges.number()));
    }
  }
  edges.expect_end();
  levels.expect_end();
  return columns;
}

void save_trees(std::span<const Tree> trees, State& state) {
  Writer sizes(state, "trees", 2);
  Writer nodes(state, "nodes", kNodeWords);
  Writer sets(state, "sets", kSetWords);
  Writer leaves(state, "leaves", 0);
  Writer weights(state, "class_weights", 2);
  for (const Tree& tree : trees) {
    sizes.add({as_float(tree.nodes.size()), as_float(tree.sets.size())});
    for (const TreeNode& node : tree.nodes)
      nodes.add({as_float(node.column()),
                 as_float(node.is_leaf()       ? 0
                          : node.is_category() ? node.set()
                                               : node.threshold()),
                 as_float(node.offset()),
                 as_float(node.is_leaf() || node.is_category() ? 0 : node.missing_left())});
    for (const BinSet& set : tree.sets)
      for (const std::uint64_t word : set.words)
        for (unsigned shift = 0; shift < 64; shift += 16)
          state["sets"].values.push_back(as_float(word >> shift & 0xffffU));
    std::size_t begin = 0;
    for (const Leaf& leaf : tree.leaves) {
      leaves.add({as_float(leaf.end - begin)});
      begin = leaf.end;
    }
    for (const ClassWeight& one : tree.classes) weights.add({as_float(one.klass), one.weight});
  }
  Tensor& all_sets = state["sets"];
  all_sets.shape[0] = all_sets.values.size() / kSetWords;
}

struct TreeReaders {
  Reader nodes;
  Reader sets;
  Reader leaves;
  Reader weights;
};

void load_leaf(TreeReaders& readers, std::size_t classes, Tree& tree) {
  double weight = 0.0;
  for (std::size_t left = readers.leaves.whole(classes); left > 0; --left) {
    const std::size_t klass = readers.weights.whole(classes - 1);
    const float one = readers.weights.number();
    tree.classes.push_back({static_cast<std::uint32_t>(klass), one});
    weight += static_cast<double>(one);
  }
  if (!(weight >= 0.0 && weight <= static_cast<double>(std::numeric_limits<float>::max())))
    throw Error("a leaf of a forest with an impossible weight");
  tree.leaves.push_back(
      {static_cast<std::uint32_t>(tree.classes.size()), static_cast<float>(weight)});
}

void load_node(TreeReaders& readers, std::span<const ColumnBins> columns, std::size_t classes,
               Tree& tree) {
  const std::size_t column = readers.nodes.whole(columns.size() - 1);
  const std::size_t rule = readers.nodes.whole(TreeNode::kMostNodes - 1);
  const std::size_t offset = readers.nodes.whole(TreeNode::kMostNodes);
  const bool missing_left = readers.nodes.whole(1) == 1;
  if (offset == 0) {
    if (column != 0 || rule != 0 || missing_left) throw Error("a leaf of a tree with a threshold");
    tree.nodes.push_back(TreeNode::leaf(tree.leaves.size()));
    load_leaf(readers, classes, tree);
  } else if (columns[column].column.is_category()) {
    if (missing_left) throw Error("a node of a category with a side for missing cells");
    tree.nodes.push_back(TreeNode::of_category(offset, column, rule));
  } else {
    if (rule > columns[column].edges.size())
      throw Error("a node of a tree with an impossible threshold");
    tree.nodes.push_back(TreeNode::of_numbers(offset, column, rule, missing_left));
  }
}

BinSet load_set(Reader& reader) {
  BinSet set;
  for (std::uint64_t& word : set.words)
    for (unsigned shift = 0; shift < 64; shift += 16)
      word |= std::uint64_t{reader.whole(0xffff)} << shift;
  return set;
}

std::vector<Tree> load_trees(const State& state, std::span<const ColumnBins> columns,
                             std::size_t classes) {
  Reader sizes(state, "trees", 2);
  TreeReaders readers{{state, "nodes", kNodeWords},
                      {state, "sets", kSetWords},
                      {state, "leaves", 0},
                      {state, "class_weights", 2}};
  if (sizes.rows() > kMostTrees) throw Error("a forest of too many trees");
  std::vector<Tree> trees;
  while (!sizes.at_end()) {
    Tree& tree = trees.emplace_back();
    const std::size_t nodes = sizes.whole(TreeNode::kMostNodes);
    const std::size_t sets = sizes.whole(TreeNode::kMostNodes);
    for (std::size_t i = 0; i < nodes; ++i) load_node(readers, columns, classes, tree);
    for (std::size_t i = 0; i < sets; ++i) tree.sets.push_back(load_set(readers.sets));
  }
  for (const Reader* reader : {&readers.nodes, &readers.sets, &readers.leaves, &readers.weights})
    reader->expect_end();
  return trees;
}

}  // namespace

State Forest::save() const {
  State state;
  Writer(state, "forest", 0).add({as_float(classes_), static_cast<float>(evidence_scale_)});
  save_columns(columns_, state);
  save_trees(trees_, state);
  return state;
}

Forest Forest::load(const State& state) {
  if (state.size() != 9) throw Error("a forest with another number of tensors");
  Reader about(state, "forest", 0);
  const std::size_t classes = about.whole(kMostForestClasses);
  const auto scale = static_cast<double>(about.number());
  about.expect_end();
  std::vector<ColumnBins> columns = load_columns(state);
  if (columns.empty() || classes == 0) throw Error("a forest without columns or classes");
  std::vector<Tree> trees = load_trees(state, columns, classes);
  Forest forest(std::move(columns), classes, std::move(trees));
  forest.set_evidence_scale(scale);
  return forest;
}

}  // namespace uaspl
