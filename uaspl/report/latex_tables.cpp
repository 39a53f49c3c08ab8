// Makes the tables of a LaTeX report, see latex_parts.hpp.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "uaspl/report/latex_grid.hpp"
#include "uaspl/report/latex_parts.hpp"
#include "uaspl/report/sheet.hpp"

namespace uaspl {
namespace {

constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();
std::string mean_text(double mean, double deviation, double value, const LatexMarks& marks) {
  if (std::isnan(value)) return "--";
  return fmt::format("{}{{\\tiny$\\pm${:.4f}}}", marks(value, fmt::format("{:.4f}", mean)),
                     deviation);
}

// One line of a table over the methods: all cells, so that blocks can take theirs.
struct Line {
  std::string name;
  std::vector<std::string> cells;
};

std::vector<Line> dataset_lines(const ResultsTable& table, const MetricInfo& metric) {
  const std::vector<std::size_t> complete = table.complete();
  std::vector<Line> lines;
  for (std::size_t d = 0; d < table.datasets.size(); ++d) {
    std::vector<Summary> all;
    std::vector<double> means;
    for (std::size_t m = 0; m < table.methods.size(); ++m) {
      all.push_back(table.summary(metric, d, m));
      means.push_back(all.back().count == 0 ? kNothing : all.back().mean);
    }
    const LatexMarks marks(means, Best::kHighest);
    const bool counts = std::ranges::find(complete, d) != complete.end();
    Line line{latex_dataset(table.datasets[d]) + (counts ? "" : "$^\\dagger$"), {}};
    for (std::size_t m = 0; m < means.size(); ++m)
      line.cells.push_back(mean_text(all[m].mean, all[m].deviation, means[m], marks));
    lines.push_back(std::move(line));
  }
  return lines;
}

// The cells of the standings of one metric.
struct StandingCells {
  std::vector<std::string> mean, rank, best;
};

StandingCells standing_cells(const ResultsTable& table, const MetricInfo& metric) {
  const std::vector<Standing> all = table.standings(metric);
  std::vector<double> means, ranks, bests;
  for (const Standing& one : all) {
    means.push_back(one.mean);
    ranks.push_back(one.rank);
    bests.push_back(static_cast<double>(one.best));
  }
  const LatexMarks mean_marks(means, Best::kHighest);
  const LatexMarks rank_marks(ranks, Best::kLowest);
  const LatexMarks best_marks(bests, Best::kHighest);
  StandingCells cells;
  for (std::size_t m = 0; m < all.size(); ++m) {
    cells.mean.push_back(mean_text(all[m].mean, all[m].deviation, means[m], mean_marks));
    cells.rank.push_back(rank_marks(ranks[m], fmt::format("{:.2f}", all[m].rank)));
    // A method that is never best is not marked as second.
    cells.best.push_back(bests[m] == 0.0 ? "0"
                                         : best_marks(bests[m], fmt::format("{}", all[m].best)));
  }
  return cells;
}

std::string metric_table(const ResultsTable& table, const MetricInfo& metric,
                         const std::string& label) {
  std::vector<Line> lines = dataset_lines(table, metric);
  const std::size_t complete = table.complete().size();
  if (complete > 0) {
    StandingCells totals = standing_cells(table, metric);
    lines.push_back({"Average", std::move(totals.mean)});
    lines.push_back({"Average rank", std::move(totals.rank)});
    lines.push_back({"Best", std::move(totals.best)});
  }
  std::vector<LatexGrid> grids;
  // "Average rank" is a name too.
  const std::size_t name_length =
      std::max<std::size_t>(12, latex_longest(table.datasets, kLatexDataset));
  latex_blocks(table.methods.size(), name_length, {.width = 52, .most = 8},
               [&](std::size_t first, std::size_t last) {
                 LatexGrid grid = latex_columns(
                     "Data set", std::span(table.methods).subspan(first, last - first), 11);
                 for (std::size_t i = 0; i < lines.size(); ++i) {
                   std::vector<std::string> cells = {
                       (i == table.datasets.size() ? "\\midrule\n" : "") + lines[i].name};
                   for (std::size_t m = first; m < last; ++m) cells.push_back(lines[i].cells[m]);
                   grid.rows.push_back(latex_row(cells));
                 }
                 grids.push_back(std::move(grid));
               });
  const std::string caption = fmt::format(
      "{} on each data set ({}): mean of {} $\\pm$ sample standard deviation. The best mean of a "
      "row is bold, the second underlined; equal ones alike. {} of {} data sets count for averages "
      "and ranks{}. {}",
      metric.title, latex_variant(table.variant), latex_runs(table), complete,
      table.datasets.size(),
      complete < table.datasets.size() ? ", those with $\\dagger$ do not" : "", table.rule.text());
  return latex_floats(label, caption, grids);
}

std::string friedman_text(const ResultsTable& table) {
  const std::size_t datasets = table.complete().size();
  if (datasets < 2 || table.methods.size() < 2) return "";
  const Friedman test = friedman(table.means(kMetrics[0]));
  const std::string p = test.p < 1e-4 ? "$p<10^{-4}$" : fmt::format("$p={:.4f}$", test.p);
  return fmt::format(
      " Friedman's test on the accuracies: $\\chi^2={:.2f}$, {}. Average ranks that are more than "
      "{:.2f} apart differ at 5\\,\\% (Nemenyi).",
      test.statistic, p, critical_difference(table.methods.size(), datasets));
}

std::string standings_table(const ResultsTable& table, const std::string& label) {
  LatexGrid grid{.columns = "l", .head = {}, .head_lines = 3, .rows = {}};
  std::vector<StandingCells> all;
  std::string rules;
  std::vector<std::string> titles = {""}, heads = {"Method"};
  for (const MetricInfo& metric : kMetrics) {
    const std::size_t column = 2 + 3 * all.size();
    all.push_back(standing_cells(table, metric));
    grid.columns += "ccc";
    titles.push_back(fmt::format("\\multicolumn{{3}}{{c}}{{{}}}", metric.title));
    rules += fmt::format("\\cmidrule(lr){{{}-{}}}", column, column + 2);
    heads.insert(heads.end(), {"mean", "rank", "best"});
  }
  grid.head = latex_row(titles) + rules + "\n" + latex_row(heads);
  for (std::size_t m = 0; m < table.methods.size(); ++m) {
    std::vector<std::string> cells = {latex_method(table.methods[m])};
    for (const StandingCells& one : all)
      cells.insert(cells.end(), {one.mean[m], one.rank[m], one.best[m]});
    grid.rows.push_back(latex_row(cells));
  }
  const std::string caption = fmt::format(
      "Standings ({}; {}): mean over {} of {} data sets $\\pm$ mean of the deviations over runs, "
      "average rank, best count. The best of a column is bold, the second underlined; equal ones "
      "alike. {}{}",
      latex_variant(table.variant), latex_runs(table), table.complete().size(),
      table.datasets.size(), table.rule.text(), friedman_text(table));
  return latex_floats(label, caption, std::span(&grid, 1));
}

std::string p_text(double p) {
  const std::string text = p < 0.001 ? "$<$.001" : fmt::format("{:.3f}", p);
  return p < 0.05 ? "\\textbf{" + text + "}" : text;
}

std::string wilcoxon_table(const ResultsTable& table, const std::string& label) {
  const std::size_t count = table.methods.size();
  std::vector<std::vector<std::string>> p(count, std::vector<std::string>(count));
  for (const Comparison& one : compare_all(table.means(kMetrics[0]))) {
    const auto [low, high] = std::minmax(one.a, one.b);
    p[low][high] = p_text(one.p_holm);
    p[high][low] = p_text(one.p);
  }
  std::vector<LatexGrid> grids;
  latex_blocks(count, latex_longest(table.methods, kLatexMethod), {.width = 29, .most = 14},
               [&](std::size_t first, std::size_t last) {
                 LatexGrid grid =
                     latex_columns("", std::span(table.methods).subspan(first, last - first), 5);
                 for (std::size_t m = 0; m < count; ++m) {
                   std::vector<std::string> cells = {latex_method(table.methods[m])};
                   for (std::size_t other = first; other < last; ++other)
                     cells.push_back(m == other ? "--" : p[m][other]);
                   grid.rows.push_back(latex_row(cells));
                 }
                 grids.push_back(std::move(grid));
               });
  const std::string caption = fmt::format(
      "Wilcoxon's signed-rank test ({}; {}): two-sided, over the mean accuracies of {} data sets. "
      "Below the diagonal the $p$-values as they are, above it corrected for all pairs (Holm); "
      "below 0.05 bold. Zero differences are dropped, tied ones share ranks; exact for at most 50 "
      "pairs without either, normal approximation otherwise. {}",
      latex_variant(table.variant), latex_runs(table), table.complete().size(), table.rule.text());
  return latex_floats(label, caption, grids);
}

std::string ablation_table(const ResultsTable& table, const std::string& label) {
  LatexGrid grid{.columns = "llccc",
                 .head = "Form & Method & Accuracy & Difference & Rank \\\\\n",
                 .head_lines = 1,
                 .rows = {}};
  const std::vector<Ablation> all = ablation(table);
  std::string form;
  std::vector<double> accuracies;
  for (const Ablation& one : all) {
    if (one.form != form) {
      accuracies.clear();
      for (const Ablation& other : all)
        if (other.form == one.form) accuracies.push_back(other.accuracy);
    }
    const std::string rule = one.form != form && !form.empty() ? "\\midrule\n" : "";
    const std::string accuracy =
        LatexMarks(accuracies, Best::kHighest)(one.accuracy, fmt::format("{:.4f}", one.accuracy));
    grid.rows.push_back(latex_row(std::vector<std::string>{
        rule + (one.form != form ? latex_text(one.form) : ""), latex_method(one.method), accuracy,
        fmt::format("${:+.4f}$", one.difference), fmt::format("{}", one.rank)}));
    form = one.form;
  }
  const std::string caption = fmt::format(
      "Ablation ({}; {}), with plain self-paced learning: mean accuracy over {} data sets, "
      "difference to the whole method, rank by "
      "it within a form. The best of a form is bold, the second underlined; equal ones alike. {}",
      latex_variant(table.variant), latex_runs(table), table.complete().size(), table.rule.text());
  return latex_floats(label, caption, std::span(&grid, 1));
}

std::string sheet_table(const ResultsTable& table, const Sheet& sheet, const std::string& label) {
  LatexGrid grid;
  std::vector<std::string> cells;
  for (std::size_t i = 0; i < sheet.columns.size(); ++i) {
    grid.columns += sheet.rows.front()[i].is_name ? 'l' : 'r';
    cells.push_back(latex_text(sheet.columns[i]));
  }
  grid.head = latex_row(cells);
  for (const std::vector<SheetCell>& row : sheet.rows) {
    cells.clear();
    for (const SheetCell& cell : row)
      cells.push_back(cell.is_name         ? latex_text(cell.text, kLatexMethod)
                      : cell.text == "-"   ? "--"
                      : cell.text[0] < '0' ? "$" + cell.text + "$"
                                           : cell.text);
    grid.rows.push_back(latex_row(cells));
  }
  constexpr std::size_t kLongest = 4000;  // characters of a caption
  std::string caption = fmt::format("{} ({}; {}). {}", latex_text(sheet.title, kLongest),
                                    latex_variant(table.variant), latex_runs(table),
                                    latex_text(sheet.caption, kLongest));
  for (const std::string& remark : sheet.remarks) caption += " " + latex_text(remark, kLongest);
  return latex_floats(label, caption + " " + table.rule.text(), std::span(&grid, 1));
}

}  // namespace

std::vector<LatexPart> latex_tables(const ResultsTable& table, std::size_t number) {
  std::vector<LatexPart> parts;
  const auto add = [&](std::string_view kind, const auto& make) {
    const std::string name = fmt::format("{}-{}", number, kind);
    parts.push_back({"table-" + name, make("uaspl-" + name)});
  };
  if (!table.complete().empty())
    add("standings", [&](const std::string& label) { return standings_table(table, label); });
  for (const MetricInfo& metric : kMetrics)
    add(metric.name, [&](const std::string& label) { return metric_table(table, metric, label); });
  if (table.complete().size() > 1 && table.methods.size() > 1)
    add("wilcoxon", [&](const std::string& label) { return wilcoxon_table(table, label); });
  if (!ablation(table).empty())
    add("ablation", [&](const std::string& label) { return ablation_table(table, label); });
  for (const Sheet& sheet : sheets(table))
    add(sheet.name, [&](const std::string& label) { return sheet_table(table, sheet, label); });
  return parts;
}

}  // namespace uaspl
