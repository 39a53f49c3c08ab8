// Working off a grid in one process, see grid.hpp.
#include "uaspl/run/grid.hpp"

#include <algorithm>

#include "uaspl/run/desk.hpp"

namespace uaspl {

std::size_t run_grid(const Grid& grid, const GridWork& work, const std::atomic<bool>& cancel) {
  Desk desk(grid, work, cancel);
  work_off(desk, grid,
           std::clamp<std::size_t>(work.jobs, 1, std::max<std::size_t>(1, desk.units())));
  return desk.total();
}

}  // namespace uaspl
