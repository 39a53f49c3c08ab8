// Writes reports as CSV files.
#pragma once

#include <filesystem>

#include "uaspl/report/report.hpp"

namespace uaspl {

// Writes runs.csv, stages.csv, summary.csv, ranks.csv, wilcoxon.csv, friedman.csv, ablation.csv,
// variation.csv, conditions.csv, intervals.csv, errors.csv and a file for each of the smaller
// tables (sheet.hpp) into the folder, which is created if it is missing; and traces.csv, curves.csv
// and predictions-NAME.csv, if the store has kept rows and passes of the runs. Everything but the
// seconds is a function of the runs alone. If they are to be safe, cells that a spreadsheet would
// take for formulas get a ' in front.
void write_csv_report(const std::filesystem::path& folder, const Report& report, Store& store,
                      bool safe = false);

}  // namespace uaspl
