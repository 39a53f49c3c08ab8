// Reports as CSV files.
#pragma once

#include <filesystem>
#include <span>

#include "uaspl/report/results.hpp"

namespace uaspl {

// Writes runs.csv, stages.csv, summary.csv, ranks.csv and wilcoxon.csv into the folder, which is
// made where it is missing. Everything but the seconds is a function of the runs alone.
void write_csv_report(const std::filesystem::path& folder, std::span<const ResultsTable> tables);

}  // namespace uaspl
