// Writes reports as LaTeX files.
#pragma once

#include <filesystem>

#include "uaspl/report/report.hpp"

namespace uaspl {

// Writes report.tex, a document that can be compiled, and the tables and figures that it inputs
// into the folder, which is created if it is missing. Files of an earlier report that this one does
// not have stay there, and the document does not name them.
void write_latex_report(const std::filesystem::path& folder, const Report& report);

}  // namespace uaspl
