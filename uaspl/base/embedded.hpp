// Gives access to files that the build puts into the program, see cmake/embed.cmake.
#pragma once

#include <span>
#include <string_view>

namespace uaspl {

struct EmbeddedFile {
  std::string_view name;  // without its folder, and without `.json`
  std::string_view text;
};

std::span<const EmbeddedFile> embedded_plans();  // plans/
std::span<const EmbeddedFile> embedded_page();   // uaspl/report/page/, and Chart.js
std::span<const EmbeddedFile> embedded_paper();  // uaspl/report/paper.json

}  // namespace uaspl
