// Makes the figures of a LaTeX report, see latex_parts.hpp.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "uaspl/report/latex_parts.hpp"

namespace uaspl {
namespace {

constexpr std::size_t kSmallCharts = 6;  // with so many data sets at most, each has a chart

std::string figure(const std::string& body, const std::string& caption, const std::string& label) {
  return "\\begin{figure}[!htbp]\n\\centering\n" + body + "\n\\caption{" + caption +
         "}\\label{fig:" + label + "}\n\\end{figure}\n";
}

bool is_uaspl(std::string_view method) { return method == "uaspl" || method.starts_with("uaspl "); }

// Seven colours that people with any colour vision tell apart (Okabe and Ito) and eight marks: 56
// combinations, since the numbers have no common divisor.
std::string line_style(std::size_t place, bool thick) {
  constexpr const char* kColours[] = {"red,0;green,114;blue,178",  "red,230;green,159;blue,0",
                                      "red,0;green,158;blue,115",  "red,213;green,94;blue,0",
                                      "red,86;green,180;blue,233", "red,204;green,121;blue,167",
                                      "red,90;green,90;blue,90"};
  constexpr const char* kMarks[] = {"o",       "square", "triangle", "x",
                                    "diamond", "+",      "pentagon", "asterisk"};
  if (thick) return "color=black,mark=*,mark size=1.8pt,line width=1.6pt";
  constexpr const char* kDashes[] = {"solid", "densely dashed", "densely dotted", "dashdotted"};
  return fmt::format(
      "color={{rgb,255:{}}},mark={},mark size=1.8pt,line width=0.6pt,{},mark options=solid",
      kColours[place % 7], kMarks[place % 8], kDashes[place / 7 % 4]);
}

std::string coordinates(std::span<const double> x, std::span<const double> y) {
  std::string text;
  for (std::size_t i = 0; i < x.size() && i < y.size(); ++i)
    text += std::isfinite(y[i]) ? fmt::format("({:.6g},{:.6g})", x[i], y[i])
                                : fmt::format("({:.6g},nan)", x[i]);
  return text;
}

bool has_values(const Curve& curve) {
  return std::ranges::any_of(curve.values, [](double v) { return std::isfinite(v); });
}

// Plots curves in the order of the report, but UASPL last, so that it lies on top.
std::string plots(std::span<const Curve> curves, std::span<const double> x,
                  std::span<const std::string> methods, bool legend) {
  std::string text;
  for (const bool last : {false, true})
    for (const Curve& curve : curves) {
      if (is_uaspl(curve.method) != last || !has_values(curve)) continue;
      const auto place =
          static_cast<std::size_t>(std::ranges::find(methods, curve.method) - methods.begin());
      text += fmt::format("\\addplot[{}] coordinates {{{}}};\n", line_style(place, last),
                          coordinates(x, curve.values));
      if (legend) text += "\\addlegendentry{" + latex_method(curve.method) + "}\n";
    }
  return text;
}

// Puts the legend below the chart, where it covers no curve, in as many columns as there is room
// for.
std::string legend_style(std::span<const Curve> curves) {
  std::size_t length = 4;
  for (const Curve& curve : curves)
    length = std::max(length, latex_length(curve.method, kLatexMethod));
  const std::size_t columns = std::clamp<std::size_t>(470 / (38 + 36 * length / 10), 1, 6);
  return fmt::format(
      "legend style={{at={{(0.5,-0.22)}},anchor=north,draw=none,font=\\scriptsize,"
      "/tikz/every even column/.append style={{column sep=8pt}}}},\n"
      "  legend columns={},legend cell align=left",
      columns);
}

std::string line_chart(std::span<const Curve> curves, std::span<const double> x,
                       std::span<const std::string> methods, const std::string& labels) {
  // Ticks are at the points, unless these are too close to be told apart.
  const double range = x.back() - x.front();
  bool apart = x.size() <= 12;
  for (std::size_t i = 1; i < x.size(); ++i) apart = apart && x[i] - x[i - 1] >= range / 25.0;
  std::string ticks;
  if (apart) ticks = fmt::format("xtick={{{:.6g}}},", fmt::join(x, ","));
  return fmt::format(
      "\\begin{{tikzpicture}}\n\\begin{{axis}}[width=0.9\\linewidth,height=7.5cm,{},\n"
      "  {}xticklabel style={{/pgf/number format/fixed,/pgf/number format/precision=4}},\n"
      "  yticklabel style={{/pgf/number format/fixed,/pgf/number format/precision=4}},\n"
      "  scaled ticks=false,unbounded coords=jump,ymajorgrids,grid style={{black!12}},\n  {}]\n{}"
      "\\end{{axis}}\n\\end{{tikzpicture}}",
      labels, ticks, legend_style(curves), plots(curves, x, methods, true));
}

std::vector<double> rounds_of(std::span<const Curve> curves) {
  std::size_t count = 0;
  for (const Curve& curve : curves) count = std::max(count, curve.values.size());
  std::vector<double> rounds(count);
  std::iota(rounds.begin(), rounds.end(), 1.0);
  return rounds;
}

// Losses that were almost nothing may grow a hundred thousand times: values below -1 are drawn by
// their logarithm, -10 at -2, -100 at -3, ... Returns the options of the axis, none if it is a
// usual one.
std::string squeeze(std::vector<Curve>& curves) {
  double lowest = 0.0;
  for (Curve& curve : curves)
    for (const double value : curve.values)
      if (std::isfinite(value)) lowest = std::min(lowest, value);
  if (lowest > -3.0) return "";
  for (Curve& curve : curves)
    for (double& value : curve.values)
      if (value < -1.0) value = -1.0 - std::log10(-value);
  const auto decades = static_cast<int>(std::ceil(std::log10(-lowest)));
  std::string ticks = "1,0,-1";
  std::string labels = "$1$,$0$,$-1$";
  const int step = 1 + decades / 7;
  for (int decade = step; decade <= decades; decade += step) {
    ticks += fmt::format(",{}", -1 - decade);
    labels += decade == 1 ? std::string(",$-10$") : fmt::format(",$-10^{{{}}}$", decade);
  }
  return fmt::format(",ytick={{{}}},yticklabels={{{}}}", ticks, labels);
}

std::string small_charts(const ResultsTable& table, std::span<const std::string> methods) {
  std::string text = fmt::format(
      "\n\\par\\medskip\n\\begin{{tikzpicture}}\n\\begin{{groupplot}}[group style={{group size=3 "
      "by "
      "{},horizontal sep=1.3cm,\n  vertical sep=1.3cm}},scale only axis,width=0.24\\linewidth,"
      "height=3cm,\n  title style={{font=\\footnotesize,yshift=-4pt}},tick label style={{"
      "font=\\scriptsize,/pgf/number format/fixed}},\n  scaled ticks=false,"
      "unbounded coords=jump,ymajorgrids,grid style={{black!12}}]\n",
      (table.datasets.size() + 2) / 3);
  for (std::size_t d = 0; d < table.datasets.size(); ++d) {
    std::vector<Curve> curves = loss_variation(table, std::span(&d, 1));
    const std::vector<double> rounds = rounds_of(curves);
    const std::string squeezed = squeeze(curves);
    text += fmt::format("\\nextgroupplot[title={{{}}},xtick={{{}}}{}]\n{}",
                        latex_dataset(table.datasets[d]), fmt::join(rounds, ","), squeezed,
                        plots(curves, rounds, methods, false));
  }
  return text + "\\end{groupplot}\n\\end{tikzpicture}";
}

std::string variation_figure(const ResultsTable& table, std::span<const std::string> methods,
                             const std::string& label) {
  std::vector<std::size_t> datasets = table.complete();
  if (datasets.empty()) {
    datasets.resize(table.datasets.size());
    std::iota(datasets.begin(), datasets.end(), std::size_t{0});
  }
  std::vector<Curve> curves = loss_variation(table, datasets);
  if (std::ranges::none_of(curves, has_values)) return "";
  const bool small = table.datasets.size() > 1 && table.datasets.size() <= kSmallCharts;
  const std::string squeezed = squeeze(curves);
  std::string body = line_chart(curves, rounds_of(curves), methods,
                                "xlabel={Round},ylabel={Mean relative loss variation}" + squeezed);
  if (small) body += small_charts(table, methods);
  const std::string caption = fmt::format(
      "Mean relative loss variation ({}; {}) of the rows of the first round at each round: (loss "
      "before it $-$ loss after it) / loss before it, mean over rows, runs and {} data set(s){}.{}",
      latex_variant(table.variant), latex_runs(table), datasets.size(),
      small ? "; below, the same for each data set" : "",
      body.find("yticklabels=") != std::string::npos ? " Axes are logarithmic below $-1$." : "");
  return figure(body, caption, label);
}

// Draws the axis of ranks, and above it the critical difference.
std::string rank_axis(std::size_t count, double unit, double difference) {
  const double width = unit * static_cast<double>(count - 1);
  std::string text = fmt::format("\\draw (0,0) -- ({:.3f},0);\n", width);
  const std::size_t step = 1 + (count - 1) / 30;
  for (std::size_t rank = 0; rank < count; rank += step)
    text += fmt::format("\\draw ({:.3f},0) -- ++(0,0.1) node[above,inner sep=1pt] {{{}}};\n",
                        unit * static_cast<double>(rank), rank + 1);
  if (difference * unit <= width)
    text += fmt::format(
        "\\draw[|-|] (0,0.6) -- ({:.3f},0.6) node[right] {{critical difference {:.2f}}};\n",
        difference * unit, difference);
  return text;
}

// Draws the diagram of Demsar (2006): ranks on an axis, names beside it, and bars that join methods
// that do not differ.
std::string rank_diagram(const ResultsTable& table, const std::vector<Standing>& standings,
                         double difference) {
  const RankOrder order = order_by_rank(standings, difference);
  const std::size_t count = order.methods.size();
  std::size_t length = 0;
  for (const std::string& method : table.methods)
    length = std::max(length, latex_length(method, kLatexMethod));
  const double width = std::clamp(16.0 - 0.28 * static_cast<double>(length + 8), 6.0, 11.0);
  const double unit = width / static_cast<double>(count - 1);
  const auto rank = [&](std::size_t place) { return standings[order.methods[place]].rank; };
  const auto at = [&](std::size_t place) { return (rank(place) - 1.0) * unit; };
  std::string text =
      "\\begin{tikzpicture}[x=1cm,y=1cm,font=\\scriptsize]\n" + rank_axis(count, unit, difference);
  double y = -0.2;
  for (const auto& group : order.groups) {
    text += fmt::format("\\draw[line width=2pt] ({:.3f},{:.3f}) -- ({:.3f},{:.3f});\n",
                        at(group.first) - 0.06, y, at(group.second) + 0.06, y);
    y -= 0.15;
  }
  // The better half is on the left; names go from the ends to the middle, so that no lines cross.
  for (std::size_t place = 0; place < count; ++place) {
    const bool left = place < (count + 1) / 2;
    const std::string& method = table.methods[order.methods[place]];
    const double row = y - 0.2 - 0.38 * static_cast<double>(left ? place : count - 1 - place);
    text += fmt::format(
        "\\draw[line width=0.3pt] ({0:.3f},0) -- ({0:.3f},{1:.3f}) -- ({2:.3f},{1:.3f}) "
        "node[{3},inner sep=2pt] {{{4}{5} ({6:.2f})}};\n",
        at(place), row, left ? -0.15 : width + 0.15, left ? "left" : "right",
        is_uaspl(method) ? "\\bfseries " : "", latex_method(method), rank(place));
  }
  return latex_fitted(text + "\\end{tikzpicture}");
}

std::string ranks_figure(const ResultsTable& table, const std::string& label) {
  const std::size_t datasets = table.complete().size();
  if (datasets < 2 || table.methods.size() < 2) return "";
  const double difference = critical_difference(table.methods.size(), datasets);
  const std::string caption = fmt::format(
      "Average ranks by accuracy over {} data sets ({}; {}). Methods joined by a bar do not differ "
      "at "
      "5\\,\\% (Nemenyi; critical difference {:.2f}). {}",
      datasets, latex_variant(table.variant), latex_runs(table), difference, table.rule.text());
  return figure(rank_diagram(table, table.standings(kMetrics[0]), difference), caption, label);
}

}  // namespace

std::vector<LatexPart> latex_figures(const ResultsTable& table, std::size_t number,
                                     std::span<const std::string> methods) {
  std::vector<LatexPart> parts;
  const std::string start = fmt::format("{}-", number);
  parts.push_back({"figure-" + start + "ranks", ranks_figure(table, "uaspl-" + start + "ranks")});
  parts.push_back({"figure-" + start + "variation",
                   variation_figure(table, methods, "uaspl-" + start + "variation")});
  std::erase_if(parts, [](const LatexPart& part) { return part.text.empty(); });
  return parts;
}

std::vector<LatexPart> latex_conditions(std::span<const Sweep> sweeps,
                                        std::span<const std::string> methods) {
  std::vector<LatexPart> parts;
  for (const Sweep& sweep : sweeps) {
    if (std::ranges::none_of(sweep.accuracy, has_values)) continue;
    const std::string name = fmt::format("conditions-{}", parts.size() + 1);
    const std::string labels =
        fmt::format("xlabel={{{}}},ylabel={{Mean accuracy}}", latex_text(sweep.axis));
    parts.push_back(
        {"figure-" + name,
         figure(line_chart(sweep.accuracy, sweep.points, methods, labels),
                fmt::format("Accuracy under {}: mean over {} data set(s), with the seeds that all "
                            "methods have at all points.",
                            latex_text(sweep.title, 120), sweep.datasets),
                "uaspl-" + name)});
  }
  return parts;
}

}  // namespace uaspl
