// Reports as Markdown, see markdown.hpp.
#include "uaspl/report/markdown.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace uaspl {
namespace {

// Names come from files and users: nothing in them may end a cell or start markup.
std::string escaped(const std::string& text) {
  std::string safe;
  for (const char c : text) {
    if (std::string_view("\\|`*_<>[]&#").find(c) != std::string_view::npos) safe += '\\';
    safe += c == '\n' || c == '\r' ? ' ' : c;
  }
  return safe;
}

std::string standings(const ResultsTable& table) {
  std::string text = "| method |";
  std::string line = "|---|";
  std::vector<std::vector<Standing>> all;
  for (const MetricInfo& metric : kMetrics) {
    text += fmt::format(" {} | rank | best |", metric.name);
    line += "---|---|---|";
    all.push_back(table.standings(metric));
  }
  text += "\n" + line + "\n";
  for (std::size_t m = 0; m < table.methods.size(); ++m) {
    text += fmt::format("| {} |", escaped(table.methods[m]));
    for (const std::vector<Standing>& one : all)
      text += fmt::format(" {:.4f} ± {:.4f} | {:.2f} | {} |", one[m].mean, one[m].deviation,
                          one[m].rank, one[m].best);
    text += "\n";
  }
  return text;
}

std::string by_dataset(const ResultsTable& table) {
  std::string text = "| data set |";
  std::string line = "|---|";
  for (const std::string& method : table.methods) {
    text += fmt::format(" {} |", escaped(method));
    line += "---|";
  }
  text += "\n" + line + "\n";
  for (std::size_t d = 0; d < table.datasets.size(); ++d) {
    text += fmt::format("| {} |", escaped(table.datasets[d]));
    double highest = 0.0;
    for (std::size_t m = 0; m < table.methods.size(); ++m)
      highest = std::max(highest, table.summary(kMetrics[0], d, m).mean);
    for (std::size_t m = 0; m < table.methods.size(); ++m) {
      const Summary s = table.summary(kMetrics[0], d, m);
      const char* bold = s.mean == highest ? "**" : "";
      text += s.count == 0 ? " |"
                           : fmt::format(" {}{:.4f}{} ± {:.4f} |", bold, s.mean, bold, s.deviation);
    }
    text += "\n";
  }
  return text;
}

std::string tests(const ResultsTable& table) {
  const std::size_t datasets = table.complete().size();
  if (datasets < 2 || table.methods.size() < 2) return "";
  const Friedman test = friedman(table.means(kMetrics[0]));
  return fmt::format(
      "\nFriedman's test on the accuracies: chi-squared {:.2f}, p = {:.2g}. Average ranks that are "
      "more than {:.2f} "
      "apart differ at 5 % (Nemenyi).\n",
      test.statistic, test.p, critical_difference(table.methods.size(), datasets));
}

}  // namespace

std::string markdown_report(std::span<const ResultsTable> tables) {
  std::string text = "# Results\n";
  for (const ResultsTable& table : tables) {
    std::size_t runs = 0;
    for (std::size_t d = 0; d < table.datasets.size(); ++d)
      for (std::size_t m = 0; m < table.methods.size(); ++m) runs += table.runs(d, m).size();
    text += fmt::format("\n## {}\n\n",
                        table.variant.empty() ? "The usual protocol" : escaped(table.variant));
    text += fmt::format(
        "{} runs; {} of {} data sets have runs of every method with the same seeds and count "
        "below. Means over data "
        "sets of the means "
        "over runs ± means of the deviations over runs; ranks: 1 is the best mean, ties share the "
        "average rank; best: "
        "data sets where a method has or shares the best mean.\n\n",
        runs, table.complete().size(), table.datasets.size());
    text +=
        standings(table) + tests(table) + "\n### Accuracy on each data set\n\n" + by_dataset(table);
  }
  return text;
}

}  // namespace uaspl
