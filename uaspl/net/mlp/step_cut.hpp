// Cuts the rows of a training step of the native network and shares its work between threads. This
// is arithmetic only; step.cpp uses it.
#pragma once

#include <cstddef>

namespace uaspl {

struct Range {
  std::size_t size() const { return end - begin; }
  std::size_t begin;
  std::size_t end;
};

// One of several tasks that share some work.
struct Share {
  Range of(std::size_t count) const;  // the task's part
  std::size_t task;
  std::size_t tasks;
};

// The rows of a step, cut into groups of equal size. Their gradients are added up as the leaves of
// a tree, ((a + b) + (c + d)) + ..., which shows in the last bits, so cuts depend on the number of
// rows alone. The number of tasks is any power of two up to the number of groups; each task takes a
// branch.
class Cut {
 public:
  static constexpr std::size_t kBlock = 192;  // rows that pass through all layers while in cache

  explicit Cut(std::size_t rows);
  std::size_t groups() const { return groups_; }  // a power of two
  std::size_t tasks(std::size_t workers) const;   // number of tasks for so many workers
  Range rows_of(std::size_t group) const { return Share{group, groups_}.of(rows_); }

  // Returns the block that begins at `first`. The rows up to `end` are cut into blocks of about
  // equal size.
  static Range block(std::size_t first, std::size_t end);

 private:
  std::size_t rows_;
  std::size_t groups_;
};

}  // namespace uaspl
