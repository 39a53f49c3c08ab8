// Writes cells of CSV files.
#pragma once

#include <string>
#include <string_view>

namespace uaspl {

// Returns a cell as it is written, quoted if necessary.
std::string csv_cell(std::string_view text);

// Returns whole lines that were written with csv_cell() and commas so that no spreadsheet takes a
// cell for a formula: one that begins with = + - @, a tab or a carriage return, and is no number,
// gets a ' in front.
std::string without_formulas(std::string_view lines);

}  // namespace uaspl
