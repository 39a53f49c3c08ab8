// One tree as plain data, in the form in which it is walked: eight bytes a node.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace uaspl {

// Which of the 256 bins of a category go left.
class BinSet {
 public:
  bool has(std::uint8_t bin) const { return (words[bin >> 6] >> (bin & 63U) & 1U) != 0; }
  void insert(std::uint8_t bin) { words[bin >> 6] |= std::uint64_t{1} << (bin & 63U); }
  void erase(std::uint8_t bin) { words[bin >> 6] &= ~(std::uint64_t{1} << (bin & 63U)); }
  bool operator==(const BinSet&) const = default;

  std::array<std::uint64_t, 4> words{};
};

// The two children of a node lie side by side, `offset` nodes after it; a leaf has none. A node of
// numbers sends bins up to its threshold left. Missing cells have the highest bin and so go right,
// unless the comparison is made with 1 added to both sides: then they are 0 and go left. A node of
// a category sends the bins of a set left.
class TreeNode {
 public:
  static constexpr std::size_t kMostNodes = std::size_t{1} << 23;
  static constexpr std::size_t kMostColumns = std::size_t{1} << 16;

  TreeNode() = default;
  static TreeNode leaf(std::size_t number) { return TreeNode(0, 0, number); }
  static TreeNode of_numbers(std::size_t offset, std::size_t column, std::size_t threshold,
                             bool missing_left) {
    const std::size_t one = missing_left ? 1 : 0;
    return TreeNode(offset, column, (threshold + one) | (one << 8U));
  }
  static TreeNode of_category(std::size_t offset, std::size_t column, std::size_t set) {
    return TreeNode(offset, column, set | kCategory);
  }

  bool is_leaf() const { return offset() == 0; }
  bool is_category() const { return (rule() & kCategory) != 0; }
  std::uint32_t offset() const { return static_cast<std::uint32_t>(bits_) & 0xffffffU; }
  std::uint32_t column() const { return static_cast<std::uint32_t>(bits_ >> 24U) & 0xffffU; }
  std::uint32_t leaf_number() const { return rule(); }
  std::uint32_t set() const { return rule() & ~kCategory; }
  std::uint32_t threshold() const { return (rule() & 0xffU) - missing_left(); }
  std::uint32_t missing_left() const { return rule() >> 8U & 1U; }

  // 0 for left, 1 for right, by the bin of the node's column.
  std::uint32_t side_of_number(std::uint8_t bin) const {
    return ((bin + missing_left()) & 0xffU) > (rule() & 0xffU) ? 1 : 0;
  }

 private:
  static constexpr std::uint32_t kCategory = 1U << 23U;
  TreeNode(std::size_t offset, std::size_t column, std::size_t rule)
      : bits_(std::uint64_t{offset} | std::uint64_t{column} << 24U | std::uint64_t{rule} << 40U) {}
  std::uint32_t rule() const { return static_cast<std::uint32_t>(bits_ >> 40U); }

  std::uint64_t bits_ = 0;
};

// The weight of the rows of one class in a leaf.
struct ClassWeight {
  std::uint32_t klass;
  float weight;
};

// The classes in a leaf are those before `end` in the tree's list, from the end of the leaf before.
struct Leaf {
  std::uint32_t end;
  float weight;  // of all its rows
};

struct Tree {
  std::vector<TreeNode> nodes;  // the root first, each node before its children
  std::vector<BinSet> sets;
  std::vector<Leaf> leaves;  // in the order of their nodes
  std::vector<ClassWeight> classes;
};

}  // namespace uaspl
