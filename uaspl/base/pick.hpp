// Picks entries of a list by their places in it.
#pragma once

#include <cstddef>
#include <ranges>
#include <span>
#include <vector>

namespace uaspl {

template <std::ranges::contiguous_range List>
auto pick(const List& from, std::span<const int> places) {
  std::vector<std::ranges::range_value_t<List>> part;
  part.reserve(places.size());
  for (const int place : places) part.push_back(from[static_cast<std::size_t>(place)]);
  return part;
}

}  // namespace uaspl
