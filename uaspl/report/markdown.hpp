// Writes reports as Markdown.
#pragma once

#include <span>
#include <string>

#include "uaspl/report/report.hpp"

namespace uaspl {

// Throws if a name is not a section.
void check_sections(std::span<const std::string> sections);

// Writes the named sections (docs/formats.md has the list), or the usual ones if none is named.
std::string markdown_report(const Report& report, std::span<const std::string> sections = {});

}  // namespace uaspl
