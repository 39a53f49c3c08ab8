// Computes all that reports show, once for all formats; each format has a file that writes it.
#pragma once

#include <span>
#include <vector>

#include "uaspl/report/analysis.hpp"
#include "uaspl/report/curves.hpp"
#include "uaspl/report/results.hpp"
#include "uaspl/report/selection.hpp"

namespace uaspl {

struct Report {
  std::vector<ResultsTable> tables;  // one for each variant
  std::vector<Sweep> sweeps;
  Selections selections;
  LearningCurves curves = {};
};

// Makes a report from runs of the store; they must outlive it.
Report make_report(std::span<const RunRecord> runs, Store& store, const RankRule& rule = {});

// The text if a table has no data set that all its methods have.
inline constexpr const char* kNoRanks =
    "No data set has runs of every method with the same seeds, so there are no ranks and tests.";

}  // namespace uaspl
