// Prints notes, see note.hpp.
#include "cli/note.hpp"

#include <cstdio>

#include "uaspl/base/text.hpp"

namespace uaspl::cli {

void print_note(std::string_view line) {
  // Names are shortened where they are quoted; this is for what has been forgotten there.
  constexpr std::size_t kMostCharacters = 1900;
  fmt::print(stderr, "{}\n", printable(line, kMostCharacters));
}

}  // namespace uaspl::cli
