// Finds classes by name, see target.hpp.
#include "uaspl/data/target.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "uaspl/base/error.hpp"
#include "uaspl/base/text.hpp"

namespace uaspl {

std::size_t class_place(const Target& target, std::string_view name, std::string_view what) {
  const auto found = std::ranges::find(target.classes, name);
  if (found == target.classes.end())
    throw UnknownName(fmt::format("{}: no class '{}'; there are: {}", what, printable(name),
                                  list_some(target.classes)));
  return static_cast<std::size_t>(found - target.classes.begin());
}

}  // namespace uaspl
