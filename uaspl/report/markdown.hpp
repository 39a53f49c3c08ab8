// Reports as Markdown.
#pragma once

#include <span>
#include <string>

#include "uaspl/report/report.hpp"

namespace uaspl {

// Fails for a name that is no section.
void check_sections(std::span<const std::string> sections);

// Of the sections named (docs/formats.md has the list), or the usual ones where none is.
std::string markdown_report(const Report& report, std::span<const std::string> sections = {});

}  // namespace uaspl
