// Who computes what in a training step of the native network; arithmetic only, see mlp_step.cpp.
#pragma once

#include <atomic>
#include <cstddef>
#include <optional>

namespace uaspl {

struct Range {
  std::size_t size() const { return end - begin; }
  std::size_t begin;
  std::size_t end;
};

// One of several tasks that share a work.
struct Share {
  // The task's part of `count`; it begins at a multiple of the unit.
  Range of(std::size_t count, std::size_t unit) const;
  std::size_t task;
  std::size_t tasks;
};

// The rows of a step, cut into chunks and those into blocks. The gradients of a chunk's rows are
// added up before they are added to those of the chunks before it, which shows in the last bits:
// cuts depend on the number of rows alone.
struct Chunks {
  static constexpr std::size_t kBlock = 96;  // rows that pass through all layers while in cache

  explicit Chunks(std::size_t rows);
  std::size_t count() const { return (all + each - 1) / each; }
  Range rows_of(std::size_t chunk) const;
  std::size_t block_end(std::size_t first) const;  // of the block that begins there

  std::size_t all;   // rows
  std::size_t each;  // rows of a chunk, but for the last
};

// Hands out chunks to tasks, in equal numbers if they are equally fast: the first task takes them
// from the front, the others from the back. What is left between them when there is not one for
// each is for all, and so is what would be too many gradients to keep.
class Deal {
 public:
  Deal(std::size_t rows, std::size_t tasks, std::size_t parameters);

  bool any() const { return dealt_ > 0; }
  std::optional<std::size_t> take(std::size_t task);  // the next chunk, if any

  // When all have been taken:
  Range shared_rows() const;
  std::size_t kept() const { return back_; }  // chunks of all tasks but the first

  const Chunks cut;
  const std::size_t tasks;

 private:
  std::size_t dealt_;  // chunks to be taken
  std::size_t front_ = 0;
  std::atomic<std::size_t> back_{0};
  std::atomic<std::size_t> tries_{0};
};

}  // namespace uaspl
