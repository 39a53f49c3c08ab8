// Defines a rank other than 0 of a grid on several ranks: it does the tasks that rank 0 hands out.
#pragma once

#include <atomic>
#include <functional>
#include <optional>

#include "uaspl/study/cluster/ranks.hpp"
#include "uaspl/study/grid.hpp"

namespace uaspl {

class Worker {
 public:
  explicit Worker(Ranks& ranks) : ranks_(ranks) {}
  // Works for rank 0, which has the same grid, until there is no more to do.
  void work(const Grid& grid, std::size_t jobs, const std::atomic<bool>& cancel);

 private:
  Ranks& ranks_;
};

// Calls `body`, tells rank 0 how it ended, and waits to be let go. Returns rank 0's code, or
// nothing if it does not answer.
std::optional<int> follow(Ranks& ranks, const std::function<void(Worker&)>& body,
                          const std::atomic<bool>& cancel);

}  // namespace uaspl
