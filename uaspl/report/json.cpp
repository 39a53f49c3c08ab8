// Writes reports as JSON lines, see json.hpp.
#include "uaspl/report/json.hpp"

#include <nlohmann/json.hpp>

#include "uaspl/io/json_text.hpp"
#include "uaspl/report/sheet.hpp"

namespace uaspl {

namespace {

// Makes the object of one row; its names are those of the columns.
nlohmann::ordered_json sheet_line(const ResultsTable& table, const Sheet& sheet,
                                  const std::vector<SheetCell>& row) {
  nlohmann::ordered_json line = {{"variant", table.variant}, {"table", sheet.name}};
  for (std::size_t i = 0; i < row.size(); ++i)
    line["row"][sheet.columns[i]] =
        row[i].is_name ? nlohmann::ordered_json(row[i].text) : nlohmann::ordered_json(row[i].value);
  return line;
}

}  // namespace

std::string json_report(std::span<const ResultsTable> tables) {
  std::string text;
  for (const ResultsTable& table : tables) {
    for (std::size_t d = 0; d < table.datasets.size(); ++d) {
      for (std::size_t m = 0; m < table.methods.size(); ++m) {
        if (table.runs(d, m).empty()) continue;
        nlohmann::ordered_json line = {{"variant", table.variant},
                                       {"dataset", table.datasets[d]},
                                       {"method", table.methods[m]},
                                       {"runs", table.runs(d, m).size()}};
        for (const MetricInfo& metric : kMetrics) {
          const Summary s = table.summary(metric, d, m);
          line[std::string(metric.name)] = {{"mean", s.mean}, {"deviation", s.deviation}};
        }
        for (const MetricInfo& score : kScores)
          if (const Summary s = table.summary(score, d, m); s.count > 0)
            line[std::string(score.name)] = {
                {"mean", s.mean}, {"deviation", s.deviation}, {"runs", s.count}};
        text += json_text(line) + "\n";
      }
    }
    for (const Sheet& sheet : sheets(table))
      for (const std::vector<SheetCell>& row : sheet.rows)
        text += json_text(sheet_line(table, sheet, row)) + "\n";
  }
  return text;
}

}  // namespace uaspl
