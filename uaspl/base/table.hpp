// Looks up an entry of a table by its name; the error for an unknown name lists the candidates and
// says which one may have been meant.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "uaspl/base/error.hpp"

namespace uaspl {

// Returns "unknown KIND 'NAME' (did you mean 'OTHER'?); known: A, B".
std::string unknown_name(std::string_view kind, std::string_view name,
                         std::span<const std::string> known);

template <typename Table>
const auto& find_named(const Table& table, std::string_view kind, std::string_view name) {
  for (const auto& entry : table)
    if (entry.name == name) return entry;
  std::vector<std::string> known;
  for (const auto& entry : table) known.emplace_back(entry.name);
  throw UnknownName(unknown_name(kind, name, known));
}

}  // namespace uaspl
