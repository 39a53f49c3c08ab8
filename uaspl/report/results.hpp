// Groups the runs of a results store by variant (all of the configuration but the method's
// options), data set and method. All reports are made from these tables.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "uaspl/base/matrix.hpp"
#include "uaspl/report/stats.hpp"
#include "uaspl/study/record.hpp"

namespace uaspl {

struct MetricInfo {
  std::string_view name;
  std::string_view title;
  double (*value)(const RunRecord&);
};
inline constexpr MetricInfo kMetrics[] = {
    {"accuracy", "Accuracy", [](const RunRecord& run) { return run.metrics.accuracy; }},
    {"precision", "Precision", [](const RunRecord& run) { return run.metrics.precision; }},
    {"recall", "Recall", [](const RunRecord& run) { return run.metrics.recall; }},
    {"f1", "F1", [](const RunRecord& run) { return run.metrics.f1; }}};

// Scores of probabilities and uncertainties, which runs of older programs lack (NaN).
inline constexpr MetricInfo kScores[] = {
    {"log_loss", "Log-loss", [](const RunRecord& run) { return run.calibration.log_loss; }},
    {"brier", "Brier score", [](const RunRecord& run) { return run.calibration.brier; }},
    {"ece", "Calibration error", [](const RunRecord& run) { return run.calibration.ece; }},
    {"error_auroc", "AUROC of the uncertainty for errors",
     [](const RunRecord& run) { return run.calibration.error_auroc; }}};

// How equal values share ranks, and when values count as equal.
struct RankRule {
  Ties ties = Ties::kAverage;
  std::optional<int> decimals = {};  // means are rounded to these before they are ranked
  std::string text() const;          // for captions
};

// A method's place among the others, over the data sets that all of them have.
struct Standing {
  double mean = 0.0;               // of the data sets' means
  double deviation = 0.0;          // mean of the data sets' deviations over runs
  double rank = 0.0;               // average over the data sets
  double deviation_rank = 0.0;     // the same for the deviations, the smallest first
  std::size_t best = 0;            // number of data sets for which it has, or shares, the best mean
  std::size_t deviation_best = 0;  // the same for the smallest deviation
};

// The runs of one variant.
class ResultsTable {
 public:
  std::string variant;  // what differs from the usual protocol, in words
  std::vector<std::string> datasets;
  std::vector<std::string> methods;  // with the options that differ from their defaults
  RankRule rule;

  std::span<const RunRecord* const> runs(std::size_t dataset, std::size_t method) const;
  Summary summary(const MetricInfo& metric, std::size_t dataset, std::size_t method) const;

  // Returns the places of the data sets for which every method has runs of the same seeds, with a
  // result.
  std::vector<std::size_t> complete() const;
  // Returns the means of the complete data sets, one row each, with one column for each method.
  // They are rounded to 12 digits, so that equal means are equal in whatever order their runs were
  // added up.
  DoubleMatrix means(const MetricInfo& metric) const;
  // The standings over the complete data sets, or over some of them.
  std::vector<Standing> standings(const MetricInfo& metric) const;
  std::vector<Standing> standings(const MetricInfo& metric,
                                  std::span<const std::size_t> places) const;

 private:
  friend std::vector<ResultsTable> tabulate(std::span<const RunRecord> runs, const RankRule& rule);
  std::map<std::pair<std::size_t, std::size_t>, std::vector<const RunRecord*>> cells_;
};

// Makes the tables of all runs, which must outlive them. Data sets are sorted by name, methods as
// in the table of methods.
std::vector<ResultsTable> tabulate(std::span<const RunRecord> runs, const RankRule& rule = {});

// Returns "spl_mixture", or "spl_mixture gamma=2" if an option is not at its default.
std::string method_label(const RunKey& key);
// Returns "" for the usual protocol, otherwise what is different, e.g. "noise uniform 0.4, steps
// 30".
std::string variant_label(const RunKey& key);

}  // namespace uaspl
