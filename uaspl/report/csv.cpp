// Writes reports as CSV files, see csv.hpp.
#include "uaspl/report/csv.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "uaspl/base/error.hpp"
#include "uaspl/report/csv_file.hpp"
#include "uaspl/report/sheet.hpp"

namespace uaspl {
namespace {

using csv::cell;
using csv::Place;
using csv::value_text;
using csv::visit_cells;
using CsvFile = csv::File;

void write_runs(const Place& place, std::span<const ResultsTable> tables) {
  CsvFile runs(place, "runs.csv",
               "variant,dataset,method,seed,accuracy,precision,recall,f1,diverged,stalled,log_loss,"
               "brier,ece,error_auroc,predicted_classes,classes,majority,class_ratio,seconds,"
               "inference_seconds");
  std::string stage_header = "variant,dataset,method,seed";
  const StageRecord any;
  visit_fields(any,
               [&](const char* name, const auto&) { stage_header += "," + std::string(name); });
  CsvFile stages(place, "stages.csv", stage_header);
  visit_cells(tables, [&](const ResultsTable& table, std::size_t d, std::size_t m) {
    const std::string where = csv::where(table, d, m);
    for (const RunRecord* run : table.runs(d, m)) {
      const Metrics& s = run->metrics;
      const Calibration& c = run->calibration;
      runs.line("{},{},{},{},{},{},{:d},{:d},{},{},{},{},{},{},{},{},{:.4f},{}", where,
                run->key.seed, s.accuracy, s.precision, s.recall, s.f1, run->diverged, run->stalled,
                cell(c.log_loss), cell(c.brier), cell(c.ece), cell(c.error_auroc),
                run->is_judged() ? fmt::format("{}", run->predicted_classes) : "", run->classes,
                cell(run->majority), cell(run->class_ratio), run->seconds,
                cell(run->inference_seconds));
      for (const StageRecord& stage : run->stages) {
        std::string line = fmt::format("{},{}", where, run->key.seed);
        visit_fields(stage,
                     [&](const char*, const auto& field) { line += "," + value_text(field); });
        stages.line("{}", line);
      }
    }
  });
  runs.commit();
  stages.commit();
}

void write_summary(const Place& place, std::span<const ResultsTable> tables) {
  CsvFile file(place, "summary.csv", "variant,dataset,method,metric,runs,mean,deviation");
  visit_cells(tables, [&](const ResultsTable& table, std::size_t d, std::size_t m) {
    const auto write = [&](const MetricInfo& metric) {
      const Summary s = table.summary(metric, d, m);
      file.line("{},{},{},{},{},{},{}", csv_cell(table.variant), csv_cell(table.datasets[d]),
                csv_cell(table.methods[m]), metric.name, s.count, s.count ? cell(s.mean) : "",
                s.count ? cell(s.deviation) : "");
    };
    std::ranges::for_each(kMetrics, write);
    std::ranges::for_each(kScores, write);
  });
  file.commit();
}

void write_ranks(const Place& place, std::span<const ResultsTable> tables) {
  CsvFile file(place, "ranks.csv",
               "variant,metric,method,datasets,mean,deviation,average_rank,best,deviation_rank,"
               "deviation_best");
  for (const ResultsTable& table : tables)
    for (const MetricInfo& metric : kMetrics) {
      if (table.complete().empty()) continue;
      const std::vector<Standing> all = table.standings(metric);
      for (std::size_t m = 0; m < all.size(); ++m)
        file.line("{},{},{},{},{},{},{},{},{},{}", csv_cell(table.variant), metric.name,
                  csv_cell(table.methods[m]), table.complete().size(), all[m].mean,
                  all[m].deviation, all[m].rank, all[m].best, all[m].deviation_rank,
                  all[m].deviation_best);
    }
  file.commit();
}

void write_wilcoxon(const Place& place, std::span<const ResultsTable> tables) {
  CsvFile file(place, "wilcoxon.csv", "variant,metric,method_a,method_b,difference,p,p_holm");
  for (const ResultsTable& table : tables)
    for (const MetricInfo& metric : kMetrics)
      for (const Comparison& one :
           table.complete().empty() ? std::vector<Comparison>{} : compare_all(table.means(metric)))
        file.line("{},{},{},{},{},{},{}", csv_cell(table.variant), metric.name,
                  csv_cell(table.methods[one.a]), csv_cell(table.methods[one.b]), one.difference,
                  one.p, one.p_holm);
  file.commit();
}

void write_friedman(const Place& place, std::span<const ResultsTable> tables) {
  CsvFile file(place, "friedman.csv",
               "variant,metric,methods,datasets,chi_squared,p,critical_difference");
  for (const ResultsTable& table : tables) {
    const std::size_t datasets = table.complete().size();
    if (datasets < 2 || table.methods.size() < 2) continue;
    for (const MetricInfo& metric : kMetrics) {
      const Friedman test = friedman(table.means(metric));
      file.line("{},{},{},{},{},{},{}", csv_cell(table.variant), metric.name, table.methods.size(),
                datasets, test.statistic, test.p,
                critical_difference(table.methods.size(), datasets));
    }
  }
  file.commit();
}

void write_variation(const Place& place, std::span<const ResultsTable> tables) {
  CsvFile file(place, "variation.csv", "variant,dataset,method,kind,round,loss_variation");
  for (const ResultsTable& table : tables)
    for (std::size_t d = 0; d < table.datasets.size(); ++d)
      for (const VariationKind& kind : kVariations)
        for (const Curve& curve : loss_variation(table, std::span(&d, 1), kind))
          for (std::size_t t = 0; t < curve.values.size(); ++t)
            file.line("{},{},{},{},{},{}", csv_cell(table.variant), csv_cell(table.datasets[d]),
                      csv_cell(curve.method), kind.name, t + 1, cell(curve.values[t]));
  file.commit();
}

void write_conditions(const Place& place, const Report& report) {
  CsvFile file(place, "conditions.csv", "condition,axis,value,method,datasets,accuracy");
  for (const Sweep& sweep : report.sweeps)
    for (const Curve& curve : sweep.accuracy)
      for (std::size_t i = 0; i < sweep.points.size(); ++i)
        file.line("{},{},{},{},{},{}", csv_cell(sweep.title), csv_cell(sweep.axis), sweep.points[i],
                  csv_cell(curve.method), sweep.datasets, cell(curve.values[i]));
  file.commit();
}

void write_selection(const Place& place, const Report& report) {
  CsvFile file(place, "intervals.csv",
               "variant,dataset,method,seed,round,interval,rows,mean_uncertainty");
  for (const SelectionTrace& run : report.selections.runs)
    for (const SelectionStage& stage : run.stages)
      for (std::size_t i = 0; i < stage.uncertainty.size(); ++i)
        file.line("{},{},{},{},{},{},{},{}", csv_cell(run.variant), csv_cell(run.dataset),
                  csv_cell(run.method), run.seed, stage.stage + 1, i + 1,
                  stage.cuts[i + 1] - stage.cuts[i],
                  stage.uncertainty[i] ? cell(*stage.uncertainty[i]) : "");
  file.commit();
}

void write_ablation(const Place& place, std::span<const ResultsTable> tables) {
  CsvFile file(place, "ablation.csv", "variant,form,method,accuracy,difference,rank");
  for (const ResultsTable& table : tables)
    for (const Ablation& one : ablation(table))
      file.line("{},{},{},{},{},{}", csv_cell(table.variant), one.form, csv_cell(one.method),
                one.accuracy, one.difference, one.rank);
  file.commit();
}

// One file for each of the smaller tables, with the lines of all variants; those that nothing has
// rows for are not written.
void write_sheets(const Place& place, std::span<const ResultsTable> tables) {
  std::map<std::string, std::string> texts;  // by name
  for (const ResultsTable& table : tables)
    for (const Sheet& sheet : sheets(table)) {
      std::string& text = texts[sheet.name];
      if (text.empty()) {
        text = "variant";
        for (const std::string& column : sheet.columns) text += "," + csv_cell(column);
        text += "\n";
      }
      for (const std::vector<SheetCell>& row : sheet.rows) {
        text += csv_cell(table.variant);
        for (const SheetCell& one : row)
          text += "," + (one.is_name ? csv_cell(one.text) : cell(one.value));
        text += "\n";
      }
    }
  for (const auto& [name, text] : texts) {
    AtomicFile file(place.folder / (name + ".csv"));
    file.write(place.safe ? without_formulas(text) : text);
    file.commit();
  }
}

}  // namespace

void write_csv_report(const std::filesystem::path& folder, const Report& report, Store& store,
                      bool safe) {
  const Place place{folder, safe};
  const std::span<const ResultsTable> tables = report.tables;
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (failed) throw Error(fmt::format("{}: {}", folder.string(), failed.message()));
  write_runs(place, tables);
  write_summary(place, tables);
  write_ranks(place, tables);
  write_wilcoxon(place, tables);
  write_friedman(place, tables);
  write_ablation(place, tables);
  write_variation(place, tables);
  write_conditions(place, report);
  write_selection(place, report);
  write_sheets(place, tables);
  csv::write_errors(place, tables);
  csv::write_parts(place, tables, store);
}

}  // namespace uaspl
