// Writes which rows the runs of a grid are trained and tested on, for other programs.
#pragma once

#include <filesystem>

#include "uaspl/study/grid.hpp"

namespace uaspl {

// Writes NAME.csv for each data set into the folder, which is created if it is missing: for each
// condition and seed the training rows and then the test rows, in the order of the split, each with
// its label and, of training rows, the label that is trained on (another one where there is noise).
// Rows are counted from 1, those that were left out for a missing value not counted. Returns the
// number of files. If they are to be safe, cells that a spreadsheet would take for formulas get a '
// in front.
std::size_t write_splits(const std::filesystem::path& folder, const Grid& grid, bool safe = false);

}  // namespace uaspl
