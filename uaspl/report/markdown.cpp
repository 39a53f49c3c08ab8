// Writes reports as Markdown, see markdown.hpp.
#include "uaspl/report/markdown.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "uaspl/base/table.hpp"
#include "uaspl/base/text.hpp"
#include "uaspl/report/sheet.hpp"

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

std::string line(std::span<const std::string> cells) {
  return fmt::format("| {} |\n", fmt::join(cells, " | "));
}

std::string header(std::span<const std::string> cells) {
  std::string text = line(cells) + "|";
  for (std::size_t i = 0; i < cells.size(); ++i) text += "---|";
  return text + "\n";
}

std::vector<std::string> with_methods(std::string first, std::span<const std::string> methods) {
  std::vector<std::string> cells = {std::move(first)};
  for (const std::string& method : methods) cells.push_back(escaped(method));
  return cells;
}

std::string number(double value) { return std::isnan(value) ? "" : fmt::format("{:.4f}", value); }

std::string tests(const ResultsTable& table) {
  const std::size_t datasets = table.complete().size();
  if (datasets < 2 || table.methods.size() < 2) return "";
  const Friedman test = friedman(table.means(kMetrics[0]));
  return fmt::format(
      "\nFriedman's test on the accuracies: chi-squared {:.2f}, p = {:.2g}. Average ranks that are "
      "more than {:.2f} apart differ at 5 % (Nemenyi).\n",
      test.statistic, test.p, critical_difference(table.methods.size(), datasets));
}

std::string standings(const ResultsTable& table) {
  if (table.complete().empty()) return fmt::format("{}\n", kNoRanks);
  std::vector<std::string> cells = {"method"};
  std::vector<std::vector<Standing>> all;
  for (const MetricInfo& metric : kMetrics) {
    cells.insert(cells.end(), {std::string(metric.name), "rank", "best"});
    all.push_back(table.standings(metric));
  }
  std::string text = fmt::format(
      "Means over {} of {} data sets of the means over runs ± means of the deviations over runs. "
      "{}\n\n{}",
      table.complete().size(), table.datasets.size(), table.rule.text(), header(cells));
  for (std::size_t m = 0; m < table.methods.size(); ++m) {
    cells = {escaped(table.methods[m])};
    for (const std::vector<Standing>& one : all) {
      cells.push_back(fmt::format("{:.4f} ± {:.4f}", one[m].mean, one[m].deviation));
      cells.push_back(fmt::format("{:.2f}", one[m].rank));
      cells.push_back(fmt::format("{}", one[m].best));
    }
    text += line(cells);
  }
  return text + tests(table);
}

std::string by_dataset(const ResultsTable& table, const MetricInfo& metric) {
  std::string text = fmt::format("### {} on each data set\n\n", metric.title) +
                     header(with_methods("data set", table.methods));
  for (std::size_t d = 0; d < table.datasets.size(); ++d) {
    std::vector<Summary> all;
    for (std::size_t m = 0; m < table.methods.size(); ++m)
      all.push_back(table.summary(metric, d, m));
    const double highest = rounded(std::ranges::max(all, {}, &Summary::mean).mean);
    const std::size_t most = std::ranges::max(all, {}, &Summary::count).count;
    std::vector<std::string> cells = {escaped(table.datasets[d])};
    for (const Summary& s : all) {
      const char* bold = rounded(s.mean) == highest ? "**" : "";
      cells.push_back(
          s.count == 0 ? "" : fmt::format("{}{:.4f}{} ± {:.4f}", bold, s.mean, bold, s.deviation));
      if (s.count > 0 && s.count < most) cells.back() += fmt::format(" ({} of {})", s.count, most);
    }
    text += line(cells);
  }
  return text;
}

std::string sheet_text(const Sheet& sheet) {
  if (sheet.rows.empty()) return "";
  std::vector<std::string> cells;
  for (const std::string& column : sheet.columns) cells.push_back(escaped(column));
  std::string text =
      fmt::format("### {}\n\n{}\n\n{}", sheet.title, escaped(sheet.caption), header(cells));
  for (const std::vector<SheetCell>& row : sheet.rows) {
    cells.clear();
    for (const SheetCell& cell : row)
      cells.push_back(cell.is_name ? escaped(cell.text) : cell.text);
    text += line(cells);
  }
  for (const std::string& remark : sheet.remarks) text += "\n" + escaped(remark) + "\n";
  return text;
}

template <Sheet (*kMake)(const ResultsTable&)>
std::string one_sheet(const ResultsTable& table) {
  return sheet_text(kMake(table));
}

std::string orderings(const ResultsTable& table) {
  const std::string first = sheet_text(ordering_sheet(table));
  return first.empty() ? "" : first + "\n" + sheet_text(ordering_by_dataset_sheet(table));
}

std::string printed(const ResultsTable& table, std::string_view study) {
  std::string text;
  for (const Sheet& sheet : printed_sheets(table, study))
    text += (text.empty() ? "" : "\n") + sheet_text(sheet);
  return text;
}

std::string accuracy(const ResultsTable& table) { return by_dataset(table, kMetrics[0]); }

std::string all_metrics(const ResultsTable& table) {
  std::string text;
  for (const MetricInfo& metric : kMetrics)
    text += (text.empty() ? "" : "\n") + by_dataset(table, metric);
  return text;
}

std::string variation_table(const ResultsTable& table, std::span<const std::size_t> datasets,
                            const VariationKind& kind) {
  const std::vector<Curve> curves = loss_variation(table, datasets, kind);
  std::size_t rounds = 0;
  for (const Curve& curve : curves) rounds = std::max(rounds, curve.values.size());
  std::vector<std::string> cells = {"method"};
  for (std::size_t t = 0; t < rounds; ++t) cells.push_back(fmt::format("round {}", t + 1));
  std::string text = header(cells);
  for (const Curve& curve : curves) {
    cells = {escaped(curve.method)};
    for (const double value : curve.values)
      cells.push_back(std::isnan(value) ? "-" : fmt::format("{:.3f}", value));
    text += line(cells);
  }
  return text;
}

std::string variations(const ResultsTable& table, std::span<const VariationKind> kinds) {
  std::string text =
      "### Mean relative loss variation\n\nOf the rows of the first round: (loss before the round "
      "- loss after it) / loss before it, over the rows, then mean over the runs. Rows whose loss "
      "is almost nothing rule the mean as the paper defines it, and not the others. A - was not "
      "recorded.\n";
  for (std::size_t d = 0; d < table.datasets.size(); ++d)
    for (const VariationKind& kind : kinds)
      text += fmt::format("\n{}, {}:\n\n{}", escaped(table.datasets[d]), kind.title,
                          variation_table(table, std::span(&d, 1), kind));
  return text;
}

std::string variation(const ResultsTable& table) {
  return variations(table, std::span(kVariations).first(3));
}

std::string quarter_variation(const ResultsTable& table) {
  return variations(table, std::span(kVariations).last(3));
}

std::string wilcoxon_of(const ResultsTable& table, const MetricInfo& metric) {
  std::string text =
      fmt::format("\n#### {}\n\n", metric.title) + header(with_methods("", table.methods));
  std::vector<std::vector<std::string>> cells;
  for (const std::string& method : table.methods) {
    cells.push_back({escaped(method)});
    cells.back().resize(table.methods.size() + 1);
  }
  for (const Comparison& one : compare_all(table.means(metric))) {
    const auto [low, high] = std::minmax(one.a, one.b);
    cells[low][high + 1] = fmt::format("{:.3g}", one.p_holm);
    cells[high][low + 1] = fmt::format("{:.3g}", one.p);
  }
  for (const std::vector<std::string>& row : cells) text += line(row);
  return text;
}

std::string wilcoxon_tables(const ResultsTable& table) {
  if (table.complete().empty()) return fmt::format("{}\n", kNoRanks);
  std::string text = fmt::format(
      "### Wilcoxon's signed-rank test\n\nTwo-sided, over the means of {} data sets; zero "
      "differences are dropped, tied ones share ranks; exact for at most 50 pairs without "
      "either, normal approximation otherwise. Below the diagonal the p-values as they are, "
      "above it corrected for all pairs (Holm).\n",
      table.complete().size());
  for (const MetricInfo& metric : kMetrics) text += wilcoxon_of(table, metric);
  return text;
}

std::string ablations(const ResultsTable& table) {
  const std::vector<Ablation> all = ablation(table);
  if (all.empty()) return "";
  std::string text = fmt::format(
      "### Ablation\n\nPlain self-paced learning, UASPL with a constant and with a growing weight "
      "of the divergence, and the whole method: mean accuracy over {} data sets, difference to the "
      "whole, and the rank by it within each form.\n\n{}",
      table.complete().size(),
      header(std::vector<std::string>{"form", "method", "accuracy", "difference", "rank"}));
  for (const Ablation& one : all)
    text += line(std::vector<std::string>{one.form, escaped(one.method), number(one.accuracy),
                                          fmt::format("{:+.4f}", one.difference),
                                          fmt::format("{}", one.rank)});
  return text;
}

std::string conditions(const Report& report) {
  std::string text;
  for (const Sweep& sweep : report.sweeps) {
    text += fmt::format("\n## {}\n\nMean accuracy over {} data set(s), seeds that all have.{}\n\n",
                        escaped(sweep.title), sweep.datasets, left_out_text(sweep));
    std::vector<std::string> cells = {sweep.axis};
    for (const double point : sweep.points) cells.push_back(fmt::format("{}", point));
    text += header(cells);
    for (const Curve& curve : sweep.accuracy) {
      cells = {escaped(curve.method)};
      for (const double value : curve.values) cells.push_back(number(value));
      text += line(cells);
    }
  }
  return text;
}

std::string selection(const Report& report) {
  std::string text;
  for (const SelectionTrace& run : report.selections.runs) {
    text += fmt::format(
        "\n## Selection: {} on {}{}, seed {}\n\nMean uncertainty of four intervals of the rows in "
        "the order of their loss: the rows before the first wrong one and the rest, each cut in "
        "half.\n\n{}",
        escaped(run.method), escaped(run.dataset),
        run.variant.empty() ? "" : " (" + escaped(run.variant) + ")", run.seed,
        header(std::vector<std::string>{"round", "rows", "selected", "wrong", "easiest", "easy",
                                        "hard", "hardest"}));
    for (const SelectionStage& stage : run.stages) {
      std::vector<std::string> cells = {
          fmt::format("{}", stage.stage + 1), fmt::format("{}", stage.cuts.back()),
          fmt::format("{}", stage.selected), fmt::format("{}", stage.wrong)};
      for (const std::optional<double>& part : stage.uncertainty)
        cells.push_back(part ? fmt::format("{:.3f}", *part) : "n/a");
      text += line(cells);
    }
  }
  return text;
}

constexpr std::string_view kPrinted[] = {"main", "linear", "mixture", "ablation", "images"};

template <std::size_t kStudy>
std::string printed_of(const ResultsTable& table) {
  return printed(table, kPrinted[kStudy]);
}

// A section of a variant, or of the report as a whole.
struct Section {
  std::string_view name;
  bool usual;
  std::string (*of_table)(const ResultsTable&);
  std::string (*of_report)(const Report&) = nullptr;
};
constexpr Section kSections[] = {{"standings", true, standings},
                                 {"deviations", true, one_sheet<deviation_sheet>},
                                 {"groups", true, one_sheet<group_sheet>},
                                 {"calibration", true, one_sheet<calibration_sheet>},
                                 {"ablation", true, ablations},
                                 {"accuracy", true, accuracy},
                                 {"metrics", false, all_metrics},
                                 {"variation", false, variation},
                                 {"variation-quarter", false, quarter_variation},
                                 {"ordering", false, orderings},
                                 {"printed-main", false, printed_of<0>},
                                 {"printed-linear", false, printed_of<1>},
                                 {"printed-mixture", false, printed_of<2>},
                                 {"printed-ablation", false, printed_of<3>},
                                 {"printed-images", false, printed_of<4>},
                                 {"wilcoxon", false, wilcoxon_tables},
                                 {"conditions", true, nullptr, conditions},
                                 {"selection", true, nullptr, selection}};

std::string table_title(const ResultsTable& table) {
  std::size_t runs = 0;
  for (std::size_t d = 0; d < table.datasets.size(); ++d)
    for (std::size_t m = 0; m < table.methods.size(); ++m) runs += table.runs(d, m).size();
  return fmt::format("\n## {}\n\n{} runs.\n",
                     table.variant.empty() ? "The usual protocol" : escaped(table.variant), runs);
}

std::vector<const Section*> choose(std::span<const std::string> names) {
  std::vector<const Section*> chosen;
  for (const std::string& name : names)
    chosen.push_back(&find_named(std::span(kSections), "section", name));
  if (names.empty())
    for (const Section& section : kSections)
      if (section.usual) chosen.push_back(&section);
  return chosen;
}

}  // namespace

void check_sections(std::span<const std::string> sections) { choose(sections); }

std::string markdown_report(const Report& report, std::span<const std::string> sections) {
  const std::vector<const Section*> chosen = choose(sections);
  std::string text = "# Results\n";
  const auto of_tables = [](const Section* section) { return section->of_table != nullptr; };
  if (std::ranges::any_of(chosen, of_tables))
    for (const ResultsTable& table : report.tables) {
      text += table_title(table);
      for (const Section* section : chosen)
        if (section->of_table)
          if (const std::string part = section->of_table(table); !part.empty()) text += "\n" + part;
    }
  for (const Section* section : chosen)
    if (section->of_report) text += section->of_report(report);
  return printable_lines(text);  // names are of anybody, and it may be shown by a terminal
}

}  // namespace uaspl
