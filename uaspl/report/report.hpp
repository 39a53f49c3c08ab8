// All that reports show, computed once; one file a format writes it down.
#pragma once

#include <span>
#include <string_view>
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
Report make_report(std::span<const RunRecord> runs, Store& store);

// How ranks are meant; stands with every table of them.
inline constexpr std::string_view kRankRule =
    "Rank 1 is the best mean; equal means share the average of their ranks. Best counts the data "
    "sets where a method has or shares the best mean. Only data sets count for which every method "
    "has runs with the same seeds.";

}  // namespace uaspl
