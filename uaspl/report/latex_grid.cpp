// Grids of cells in LaTeX, see latex_grid.hpp.
#include "uaspl/report/latex_grid.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "uaspl/report/latex_parts.hpp"

namespace uaspl {
namespace {

constexpr double kLineWidth = 510.0;    // points; A4 with margins of 2 cm, shrunk by 5 % at most
constexpr double kCharacter = 3.9;      // width of one in \footnotesize, about
constexpr std::size_t kPageLines = 72;  // of \footnotesize
constexpr std::size_t kBlockRows = 50;
constexpr std::string_view kStyle =
    "\\par\\medskip\\footnotesize\\setlength{\\tabcolsep}{2.5pt}\\setlength{\\aboverulesep}{1pt}"
    "\\setlength{\\belowrulesep}{1pt}\n";
constexpr std::string_view kStart = "\\begin{table}[!htbp]\n\\centering\n";

std::string tabular(const LatexGrid& grid, std::size_t first, std::size_t last) {
  std::string text =
      "\\begin{tabular}{@{}" + grid.columns + "@{}}\n\\toprule\n" + grid.head + "\\midrule\n";
  for (std::size_t i = first; i < last; ++i) text += grid.rows[i];
  return latex_fitted(text + "\\bottomrule\n\\end{tabular}");
}

}  // namespace

LatexMarks::LatexMarks(std::span<const double> values, Best best)
    : sign_(best == Best::kHighest ? -1.0 : 1.0) {
  std::set<double> distinct;
  std::size_t count = 0;
  for (const double value : values)
    if (!std::isnan(value)) {
      distinct.insert(sign_ * rounded(value));
      ++count;
    }
  if (count < 2) return;  // nothing to compare with
  best_ = *distinct.begin();
  if (distinct.size() > 1) second_ = *std::next(distinct.begin());
}

std::string LatexMarks::operator()(double value, const std::string& text) const {
  if (std::isnan(value)) return "--";
  if (sign_ * rounded(value) == best_) return "\\textbf{" + text + "}";
  if (sign_ * rounded(value) == second_) return "\\underline{" + text + "}";
  return text;
}

std::string latex_row(std::span<const std::string> cells) {
  return fmt::format("{} \\\\\n", fmt::join(cells, " & "));
}

std::size_t latex_longest(std::span<const std::string> names, std::size_t most) {
  std::size_t length = 0;
  for (const std::string& name : names) length = std::max(length, latex_length(name, most));
  return length;
}

LatexGrid latex_columns(const std::string& corner, std::span<const std::string> methods,
                        std::size_t room) {
  const std::size_t length = latex_longest(methods, kLatexMethod);
  LatexGrid grid;
  grid.columns = "l" + std::string(methods.size(), 'c');
  std::vector<std::string> cells = {corner};
  for (const std::string& name : methods)
    cells.push_back(length <= room ? latex_method(name)
                                   : "\\rotatebox{90}{" + latex_method(name) + "}");
  grid.head = latex_row(cells);
  // A character of an upright name takes a little less than half of a line.
  grid.head_lines = length <= room ? 1 : 1 + length * 46 / 100;
  return grid;
}

void latex_blocks(std::size_t columns, std::size_t name_length, const LatexFit& fit,
                  const std::function<void(std::size_t first, std::size_t last)>& visit) {
  const double room = kLineWidth - kCharacter * static_cast<double>(name_length);
  const auto each =
      static_cast<std::size_t>(std::clamp(std::floor(room / fit.width), 3.0, fit.most));
  const std::size_t blocks = (columns + each - 1) / each;
  for (std::size_t b = 0; b < blocks; ++b) visit(columns * b / blocks, columns * (b + 1) / blocks);
}

std::string latex_floats(const std::string& label, const std::string& caption,
                         std::span<const LatexGrid> grids) {
  std::string text =
      fmt::format("{}\\caption{{{}}}\\label{{tab:{}}}\n{}", kStart, caption, label, kStyle);
  std::size_t used = 1 + (caption.size() / 95 + 1) * 13 / 10;  // its lines are larger
  bool first_of_page = true;
  for (const LatexGrid& grid : grids) {
    const std::size_t parts = (grid.rows.size() + kBlockRows - 1) / kBlockRows;
    for (std::size_t part = 0; part < parts; ++part) {
      const std::size_t first = grid.rows.size() * part / parts;
      const std::size_t last = grid.rows.size() * (part + 1) / parts;
      const std::size_t lines = grid.head_lines + last - first + 2;
      if (!first_of_page && used + lines > kPageLines) {
        text += fmt::format(
            "\\end{{table}}\n{}\\addtocounter{{table}}{{-1}}\n\\caption{{(continued)}}\n{}", kStart,
            kStyle);
        used = 3;
      } else if (!first_of_page) {
        text += "\\par\\medskip\n";
      }
      text += tabular(grid, first, last) + "\n";
      used += lines;
      first_of_page = false;
    }
  }
  return text + "\\end{table}\n";
}

}  // namespace uaspl
