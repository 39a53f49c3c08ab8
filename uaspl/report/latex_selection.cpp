// Makes figures of how a method chose its rows, see latex_parts.hpp.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "uaspl/report/latex_parts.hpp"

namespace uaspl {
namespace {

constexpr std::size_t kPanelPoints = 1000;  // TeX's memory is small; more are thinned out

// For the same reason there are no circles and no groups: a dot is a line of length 0 with round
// ends.
constexpr std::string_view kMarks =
    "\\pgfdeclareplotmark{uaspl dot}{\\pgfpathmoveto{\\pgfpointorigin}"
    "\\pgfpathlineto{\\pgfpointorigin}\\pgfusepathqstroke}\n"
    "\\pgfdeclareplotmark{uaspl cross}{\\pgfpathmoveto{\\pgfqpoint{-1.3pt}{-1.3pt}}"
    "\\pgfpathlineto{\\pgfqpoint{1.3pt}{1.3pt}}%\n"
    "  \\pgfpathmoveto{\\pgfqpoint{-1.3pt}{1.3pt}}\\pgfpathlineto{\\pgfqpoint{1.3pt}{-1.3pt}}"
    "\\pgfusepathqstroke}\n";

// Returns n if every n-th row is drawn as a point.
std::size_t thinning(const SelectionStage& stage) {
  return (stage.samples.size() + kPanelPoints - 1) / kPanelPoints;
}

std::string points(const SelectionStage& stage, bool correct) {
  std::string text;
  for (std::size_t i = 0; i < stage.samples.size(); i += thinning(stage)) {
    const SampleRecord& sample = stage.samples[i];
    if (sample.correct == correct && std::isfinite(sample.uncertainty))
      text += fmt::format("({},{:.3f})", i + 1, sample.uncertainty);
  }
  return text;
}

// Draws the mean of each interval as a line, and the borders of the intervals.
std::string intervals(const SelectionStage& stage) {
  std::string text;
  for (std::size_t i = 0; i < stage.uncertainty.size(); ++i) {
    const double first = static_cast<double>(stage.cuts[i]) + 0.5;
    const double last = static_cast<double>(stage.cuts[i + 1]) + 0.5;
    if (i > 0)
      text += fmt::format(
          "\\addplot[black!60,dotted,no marks] coordinates {{({0:.1f},0)({0:.1f},1)}};\n", first);
    if (stage.uncertainty[i])
      text += fmt::format(
          "\\addplot[blue!80!black,line width=1.4pt,no marks] coordinates "
          "{{({:.1f},{:.4f})({:.1f},{:.4f})}};\n",
          first, *stage.uncertainty[i], last, *stage.uncertainty[i]);
  }
  return text;
}

std::string panel(const SelectionStage& stage) {
  const auto selected = std::ranges::count(stage.samples, true, &SampleRecord::selected);
  std::string text =
      fmt::format("\\nextgroupplot[title={{Round {}: {} of {} rows}},xmin=0,xmax={}]\n",
                  stage.stage + 1, selected, stage.samples.size(), stage.samples.size() + 1);
  if (const std::string right = points(stage, true); !right.empty())
    text +=
        "\\addplot[only marks,mark=uaspl dot,line width=1.4pt,line cap=round,green!55!black] "
        "coordinates {" +
        right + "};\n";
  if (const std::string wrong = points(stage, false); !wrong.empty())
    text += "\\addplot[only marks,mark=uaspl cross,line width=0.4pt,red] coordinates {" + wrong +
            "};\n";
  return text + intervals(stage);
}

std::string panels(const SelectionTrace& run) {
  std::string text = fmt::format(
      "{}\\begin{{tikzpicture}}\n\\begin{{groupplot}}[group style={{group size=3 by {},"
      "horizontal sep=0.9cm,vertical sep=1.3cm,\n  ylabels at=edge left,xlabels at=edge bottom}},"
      "scale only axis,width=0.26\\linewidth,height=3.4cm,\n  ymin=-0.03,ymax=1.03,"
      "xlabel={{Place by loss}},ylabel={{Uncertainty}},scaled ticks=false,\n"
      "  tick label style={{font=\\scriptsize,/pgf/number format/fixed,"
      "/pgf/number format/1000 sep={{}}}},\n"
      "  label style={{font=\\footnotesize}},title style={{font=\\footnotesize,yshift=-4pt}}]\n",
      kMarks, (run.stages.size() + 2) / 3);
  for (const SelectionStage& stage : run.stages) text += panel(stage);
  return text + "\\end{groupplot}\n\\end{tikzpicture}";
}

std::string caption(const SelectionTrace& run) {
  std::size_t step = 1;
  for (const SelectionStage& stage : run.stages) step = std::max(step, thinning(stage));
  return fmt::format(
      "Selection of {} on {} ({}; seed {}): the training rows at the beginning of each round in "
      "the order of their loss, with their uncertainty; how many of them are selected stands "
      "above. "
      "Green dots are classified rightly, red crosses wrongly. Blue: mean uncertainty of the rows "
      "before the first wrong one and of the rest, each cut in half.{}",
      latex_method(run.method), latex_text(run.dataset), latex_variant(run.variant), run.seed,
      step > 1 ? fmt::format(" Only one of {} rows is drawn; the means are of all.", step) : "");
}

}  // namespace

std::vector<LatexPart> latex_selections(std::span<const SelectionTrace> runs) {
  std::vector<LatexPart> parts;
  for (const SelectionTrace& run : runs) {
    if (run.stages.empty()) continue;
    const std::string name = fmt::format("selection-{}", parts.size() + 1);
    parts.push_back({"figure-" + name, "\\begin{figure}[!htbp]\n\\centering\n" + panels(run) +
                                           "\n\\caption{" + caption(run) + "}\\label{fig:uaspl-" +
                                           name + "}\n\\end{figure}\n"});
  }
  return parts;
}

}  // namespace uaspl
