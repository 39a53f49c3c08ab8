// Makes the smaller tables of a report, see sheet.hpp.
#include "uaspl/report/sheet.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "uaspl/data/table/known_tables.hpp"

namespace uaspl {
namespace {

constexpr double kBalanced =
    1.5;  // at most so many rows of the largest class for one of the smallest

// The balance of a data set, from any run that knows it.
double class_ratio(const ResultsTable& table, std::size_t dataset) {
  for (std::size_t m = 0; m < table.methods.size(); ++m)
    for (const RunRecord* run : table.runs(dataset, m))
      if (std::isfinite(run->class_ratio)) return run->class_ratio;
  return std::numeric_limits<double>::quiet_NaN();
}

bool all_judged(const ResultsTable& table, std::size_t dataset) {
  for (std::size_t m = 0; m < table.methods.size(); ++m)
    for (const RunRecord* run : table.runs(dataset, m))
      if (!run->is_judged() && !run->key.is_imported()) return false;
  return true;
}

// The mean over data sets of the means over runs; data sets without a value are left out.
Summary mean_over(const ResultsTable& table, const MetricInfo& metric, std::size_t method,
                  const std::vector<std::size_t>& datasets) {
  std::vector<double> means;
  for (const std::size_t d : datasets)
    if (const Summary one = table.summary(metric, d, method); one.count > 0)
      means.push_back(one.mean);
  return summarise(means);
}

// Data sets for which every method has a value in some run; a method that has none anywhere, as
// other programs may not tell it, does not count.
std::vector<std::size_t> with_values(const ResultsTable& table, const MetricInfo& metric,
                                     std::vector<std::size_t> datasets) {
  const auto has = [&](std::size_t d, std::size_t m) {
    return table.summary(metric, d, m).count > 0;
  };
  std::vector<std::size_t> methods;
  for (std::size_t m = 0; m < table.methods.size(); ++m)
    if (std::ranges::any_of(datasets, [&](std::size_t d) { return has(d, m); }))
      methods.push_back(m);
  std::erase_if(datasets, [&](std::size_t d) {
    return !std::ranges::all_of(methods, [&](std::size_t m) { return has(d, m); });
  });
  return datasets;
}

double last_train_accuracy(const RunRecord& run) {
  return run.stages.empty() ? std::numeric_limits<double>::quiet_NaN()
                            : run.stages.back().train_accuracy;
}

}  // namespace

SheetCell::SheetCell(double number, int decimals, bool with_sign)
    : text(!std::isfinite(number) ? "-"
           : with_sign            ? fmt::format("{:+.{}f}", number, decimals)
                                  : fmt::format("{:.{}f}", number, decimals)),
      value(std::isfinite(number) ? number : std::numeric_limits<double>::quiet_NaN()) {}

Sheet deviation_sheet(const ResultsTable& table) {
  Sheet sheet{.name = "deviations",
              .title = "Deviations over runs",
              .caption = fmt::format(
                  "Mean over {} of {} data sets of the deviations over runs, their average rank (1 "
                  "is the smallest) and on how many data sets a method has, or shares, the "
                  "smallest.",
                  table.complete().size(), table.datasets.size()),
              .columns = {"method"},
              .rows = {}};
  if (table.complete().empty()) return sheet;
  for (const std::string& method : table.methods) sheet.rows.push_back({method});
  for (const MetricInfo& metric : kMetrics) {
    for (const char* part : {"deviation", "rank", "best"})
      sheet.columns.push_back(fmt::format("{} {}", metric.name, part));
    const std::vector<Standing> all = table.standings(metric);
    for (std::size_t m = 0; m < all.size(); ++m) {
      sheet.rows[m].emplace_back(all[m].deviation, 4);
      sheet.rows[m].emplace_back(all[m].deviation_rank, 2);
      sheet.rows[m].emplace_back(static_cast<double>(all[m].deviation_best), 0);
    }
  }
  return sheet;
}

Sheet group_sheet(const ResultsTable& table) {
  std::vector<std::size_t> balanced;
  std::vector<std::size_t> imbalanced;
  std::size_t unknown = 0;
  for (const std::size_t d : table.complete()) {
    const double ratio = class_ratio(table, d);
    if (std::isnan(ratio)) ++unknown;
    if (ratio <= kBalanced) balanced.push_back(d);
    if (ratio > kBalanced) imbalanced.push_back(d);
  }
  Sheet sheet{
      .name = "groups",
      .title = "Balanced and imbalanced data sets",
      .caption = fmt::format(
          "Accuracy over {} balanced data sets (at most {} rows of the largest class for one of "
          "the smallest) and {} imbalanced ones: mean of the means, average rank, best count.{}",
          balanced.size(), kBalanced, imbalanced.size(),
          unknown > 0 ? fmt::format(" Of {} more no run knows it.", unknown) : ""),
      .columns = {"method", "balanced: mean", "balanced: rank", "balanced: best",
                  "imbalanced: mean", "imbalanced: rank", "imbalanced: best"},
      .rows = {}};
  if (balanced.empty() && imbalanced.empty()) return sheet;
  for (const std::string& method : table.methods) sheet.rows.push_back({method});
  for (const auto* group : {&balanced, &imbalanced}) {
    const std::vector<Standing> all = table.standings(kMetrics[0], *group);
    const double none = group->empty() ? std::numeric_limits<double>::quiet_NaN() : 0.0;
    for (std::size_t m = 0; m < all.size(); ++m) {
      sheet.rows[m].emplace_back(all[m].mean + none, 4);
      sheet.rows[m].emplace_back(all[m].rank + none, 2);
      sheet.rows[m].emplace_back(static_cast<double>(all[m].best) + none, 0);
    }
  }
  return sheet;
}

Sheet calibration_sheet(const ResultsTable& table) {
  std::vector<std::size_t> datasets = table.complete();
  const std::size_t complete = datasets.size();
  std::erase_if(datasets, [&](std::size_t d) { return !all_judged(table, d); });
  const std::vector<std::size_t> with_errors = with_values(table, kScores[3], datasets);
  Sheet sheet{
      .name = "calibration",
      .title = "Probabilities and uncertainties",
      .caption = fmt::format(
          "Of the test rows, mean over {} of {} data sets that all methods have{}: log-loss, Brier "
          "score (over all classes) and expected calibration error (15 bins of the likeliest "
          "class's probability), lower is better; AUROC of the uncertainty for own errors (.5 says "
          "nothing; {} data sets where every method has runs with both right and wrong rows); "
          "accuracy on the training rows at the end; runs that predict fewer classes than there "
          "are; runs below the share of the commonest class.",
          datasets.size(), complete,
          datasets.size() < complete ? " (older programs did not record this for all runs of the "
                                       "others, which do not count)"
                                     : "",
          with_errors.size()),
      .columns = {"method", "log-loss", "Brier", "ECE", "AUROC of errors", "training accuracy",
                  "runs", "fewer classes", "below majority"},
      .rows = {}};
  if (datasets.empty()) return sheet;
  constexpr MetricInfo kTraining{"train_accuracy", "Training accuracy", last_train_accuracy};
  for (std::size_t m = 0; m < table.methods.size(); ++m) {
    std::vector<SheetCell> row{table.methods[m]};
    for (const MetricInfo* metric :
         {&kScores[0], &kScores[1], &kScores[2], &kScores[3], &kTraining}) {
      const Summary mean =
          mean_over(table, *metric, m, metric == &kScores[3] ? with_errors : datasets);
      row.emplace_back(mean.count > 0 ? mean.mean : std::numeric_limits<double>::quiet_NaN(), 4);
    }
    std::size_t runs = 0;
    std::size_t fewer = 0;
    std::size_t below = 0;
    for (const std::size_t d : datasets)
      for (const RunRecord* run : table.runs(d, m)) {
        ++runs;
        fewer += run->is_judged() && run->predicted_classes < run->classes ? 1 : 0;
        below += run->metrics.accuracy < run->majority - 1e-12 ? 1 : 0;
      }
    for (const std::size_t count : {runs, fewer, below})
      row.emplace_back(static_cast<double>(count), 0);
    sheet.rows.push_back(std::move(row));
  }
  return sheet;
}

namespace {

// The paper's averages are over its 25 data sets.
bool has_papers_sets(const ResultsTable& table) {
  const std::vector<std::size_t> complete = table.complete();
  return std::ranges::all_of(named_sets("paper"), [&](const std::string& name) {
    return std::ranges::any_of(complete, [&](std::size_t d) { return table.datasets[d] == name; });
  });
}

}  // namespace

std::vector<Sheet> sheets(const ResultsTable& table) {
  std::vector<Sheet> all{deviation_sheet(table), group_sheet(table), calibration_sheet(table),
                         ordering_sheet(table), ordering_by_dataset_sheet(table)};
  const bool averages = has_papers_sets(table);
  for (const std::string_view study : {"main", "linear", "mixture", "ablation", "images"})
    if (averages || study == "images")
      for (Sheet& sheet : printed_sheets(table, study)) all.push_back(std::move(sheet));
  std::erase_if(all, [](const Sheet& sheet) { return sheet.rows.empty(); });
  return all;
}

}  // namespace uaspl
