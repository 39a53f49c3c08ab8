// Writes reports as JSON lines.
#pragma once

#include <span>
#include <string>

#include "uaspl/report/results.hpp"

namespace uaspl {

// Writes one object for each variant, data set and method: the number of runs, and the mean and
// deviation of every metric; then one object for each row of the smaller tables (sheet.hpp), with
// the name of its table.
std::string json_report(std::span<const ResultsTable> tables);

}  // namespace uaspl
