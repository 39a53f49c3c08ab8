// Looks up an entry of a table by its name; the error for an unknown name lists the candidates,
// and the one that was probably meant.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "uaspl/base/error.hpp"
#include "uaspl/base/suggestion.hpp"

namespace uaspl {

template <typename Table>
const auto& find_named(const Table& table, std::string_view kind, std::string_view name) {
  std::string known;
  std::vector<std::string> names;
  for (const auto& entry : table) {
    if (entry.name == name) return entry;
    names.emplace_back(entry.name);
    known += (known.empty() ? "" : ", ") + names.back();
  }
  throw UnknownName("unknown " + std::string(kind) + " '" + std::string(name) + "'" +
                    suggestion(name, names) + "; known: " + known);
}

}  // namespace uaspl
