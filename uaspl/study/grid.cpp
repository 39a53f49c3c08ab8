// Runs a grid in one process, see grid.hpp.
#include "uaspl/study/grid.hpp"

#include <algorithm>

#include "uaspl/study/work_queue.hpp"

namespace uaspl {

std::size_t run_grid(const Grid& grid, const GridCallbacks& callbacks,
                     const std::atomic<bool>& cancel) {
  WorkQueue queue(grid, callbacks, cancel);
  work_off(queue, grid,
           std::clamp<std::size_t>(callbacks.jobs, 1, std::max<std::size_t>(1, queue.units())));
  return queue.total();
}

}  // namespace uaspl
