// Picks entries of a list by their places in it.
#pragma once

#include <span>
#include <vector>

namespace uaspl {

inline std::vector<int> pick(std::span<const int> from, std::span<const int> places) {
  std::vector<int> part;
  part.reserve(places.size());
  for (const int place : places) part.push_back(from[static_cast<std::size_t>(place)]);
  return part;
}

}  // namespace uaspl
