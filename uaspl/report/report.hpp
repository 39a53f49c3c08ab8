// All that reports show, computed once; one file a format writes it down.
#pragma once

#include <span>
#include <vector>

#include "uaspl/report/analysis.hpp"
#include "uaspl/report/results.hpp"
#include "uaspl/report/selection.hpp"

namespace uaspl {

struct Report {
  std::vector<ResultsTable> tables;  // one a variant
  std::vector<Sweep> sweeps;
  Selections selections;
};

// From runs of the store; they must outlive the report.
Report make_report(std::span<const RunRecord> runs, Store& store, const RankRule& rule = {});

// Where a table has no data set that all its methods have.
inline constexpr const char* kNoRanks =
    "No data set has runs of every method with the same seeds, so there are no ranks and tests.";

}  // namespace uaspl
