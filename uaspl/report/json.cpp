// Writes reports as JSON lines, see json.hpp.
#include "uaspl/report/json.hpp"
#include "uaspl/io/json_text.hpp"

#include <nlohmann/json.hpp>

namespace uaspl {

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
        text += json_text(line) + "\n";
      }
    }
  }
  return text;
}

}  // namespace uaspl
