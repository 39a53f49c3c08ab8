// Prints notes, warnings and errors to standard error, one a line.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>

namespace uaspl::cli {

// Prints a line as a terminal can show it, whatever the names of files and columns in it.
void print_note(std::string_view line);

template <typename... Arguments>
void note(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  print_note(fmt::format(format, std::forward<Arguments>(arguments)...));
}

}  // namespace uaspl::cli
