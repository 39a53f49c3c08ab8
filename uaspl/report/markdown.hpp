// Reports as Markdown.
#pragma once

#include <span>
#include <string>

#include "uaspl/report/results.hpp"

namespace uaspl {

// For each variant: the standings by all metrics, and the accuracy on each data set.
std::string markdown_report(std::span<const ResultsTable> tables);

}  // namespace uaspl
