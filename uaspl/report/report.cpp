// Computes all that reports show, see report.hpp.
#include "uaspl/report/report.hpp"

namespace uaspl {

Report make_report(std::span<const RunRecord> runs, Store& store, const RankRule& rule) {
  constexpr std::size_t kMostSamples = 300000;  // some 10 MB of a page
  Report report;
  report.tables = tabulate(runs, rule);
  report.sweeps = sweeps(report.tables);
  report.selections = load_selections(store, report.tables, kMostSamples);
  return report;
}

}  // namespace uaspl
