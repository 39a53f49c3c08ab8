// Looks up an entry of a table by its name; the error for an unknown name lists the candidates.
#pragma once

#include <string>
#include <string_view>

#include "uaspl/base/error.hpp"

namespace uaspl {

template <typename Table>
const auto& find_named(const Table& table, std::string_view kind, std::string_view name) {
  std::string known;
  for (const auto& entry : table) {
    if (entry.name == name) return entry;
    known += (known.empty() ? "" : ", ") + std::string(entry.name);
  }
  throw UnknownName("unknown " + std::string(kind) + " '" + std::string(name) +
                    "'; known: " + known);
}

}  // namespace uaspl
