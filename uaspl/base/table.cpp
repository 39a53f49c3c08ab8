// Names that are not in a table, see table.hpp.
#include "uaspl/base/table.hpp"

#include "uaspl/base/suggestion.hpp"

namespace uaspl {

std::string unknown_name(std::string_view kind, std::string_view name,
                         std::span<const std::string> known) {
  std::string text =
      "unknown " + std::string(kind) + " '" + std::string(name) + "'" + suggestion(name, known);
  text += "; known: ";
  for (const std::string& one : known) text += (&one == known.data() ? "" : ", ") + one;
  return text;
}

}  // namespace uaspl
