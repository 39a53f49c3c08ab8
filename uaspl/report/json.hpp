// Reports as JSON lines.
#pragma once

#include <span>
#include <string>

#include "uaspl/report/results.hpp"

namespace uaspl {

// One object a variant, data set and method: runs, and mean and deviation of every metric.
std::string json_report(std::span<const ResultsTable> tables);

}  // namespace uaspl
