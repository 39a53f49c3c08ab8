// Cuts the rows of a step, see step_cut.hpp.
#include "uaspl/net/mlp/step_cut.hpp"

#include <algorithm>
#include <bit>

namespace uaspl {
namespace {

constexpr std::size_t kTwoPay = 192;     // rows from which two threads are faster than one
constexpr std::size_t kGroupRows = 384;  // of which the gradient may be added to the others': that
                                         // is nothing beside computing it
constexpr std::size_t kMostGroups = 32;
constexpr std::size_t kTile = 6;  // rows of the product kernel's tile

std::size_t groups_of(std::size_t rows) {
  if (rows < kTwoPay) return 1;
  return std::clamp<std::size_t>(std::bit_floor(rows / kGroupRows), 2, kMostGroups);
}

}  // namespace

Range Share::of(std::size_t count) const {
  return {count * task / tasks, count * (task + 1) / tasks};
}

Cut::Cut(std::size_t rows) : rows_(rows), groups_(groups_of(rows)) {}

std::size_t Cut::tasks(std::size_t workers) const {
  return std::bit_floor(std::clamp<std::size_t>(workers, 1, groups_));
}

Range Cut::block(std::size_t first, std::size_t end) {
  const std::size_t left = end - first;
  const std::size_t blocks = (left + kBlock - 1) / kBlock;
  if (blocks < 2) return {first, end};
  return {first, first + (left + blocks * kTile - 1) / (blocks * kTile) * kTile};
}

}  // namespace uaspl
