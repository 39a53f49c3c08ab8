// Computes all that reports show, see report.hpp.
#include "uaspl/report/report.hpp"

namespace uaspl {

Report make_report(std::span<const RunRecord> runs, Store& store, const RankRule& rule) {
  constexpr std::size_t kMostSamples = 300000;  // some 10 MB of a page
  constexpr std::size_t kMostPasses = 1000000;  // of which a page shows some
  Report report;
  report.tables = tabulate(runs, rule);
  report.sweeps = sweeps(report.tables);
  report.selections = load_selections(store, report.tables, kMostSamples);
  report.curves = load_curves(store, report.tables, kMostPasses);
  return report;
}

}  // namespace uaspl
