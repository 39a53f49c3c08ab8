// Reports as LaTeX: text that cannot break a document, marks and ties by hand, captions, files.
#include <cmath>
#include <sstream>

#include "tests/runs.hpp"
#include "tests/support.hpp"
#include "uaspl/base/error.hpp"
#include "uaspl/report/latex.hpp"
#include "uaspl/report/latex_grid.hpp"
#include "uaspl/report/latex_parts.hpp"
#include "uaspl/study/experiment.hpp"

namespace uaspl {
namespace {

namespace fs = std::filesystem;

std::string part(std::span<const LatexPart> parts, const std::string& name) {
  for (const LatexPart& one : parts)
    if (one.name == name) return one.text;
  ADD_FAILURE() << "no part " << name;
  return "";
}

bool has(const std::string& text, const std::string& what) {
  return text.find(what) != std::string::npos;
}

std::string read(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

TEST(Latex, TextCannotBreakADocument) {
  EXPECT_EQ(latex_text("plain name 1.5"), "plain name 1.5");
  EXPECT_EQ(latex_text("50%_of$#&{}"), "50\\%\\_of$\\mathdollar$\\#\\&\\{\\}");
  EXPECT_EQ(latex_text("~^\\"), "\\textasciitilde{}\\textasciicircum{}\\textbackslash{}");
  EXPECT_EQ(latex_text("<a>|"), "\\textless{}a\\textgreater{}\\textbar{}");
  EXPECT_EQ(latex_text("[x]*"), "{[}x{]}{*}");    // no option of "\\"
  EXPECT_EQ(latex_text("a--b-c"), "a-{-}b-c");    // no dash
  EXPECT_EQ(latex_text("?`\"'"), "?{`}{''}{'}");  // no ligatures
  EXPECT_EQ(latex_text("a\nb\rc\td"), "a b c d");
  EXPECT_EQ(latex_text(std::string_view("\0\x01\x7f", 3)), "???");
}

TEST(Latex, TextBeyondAsciiIsPrintedOrNamed) {
  EXPECT_EQ(latex_text("Zürich Łódź"), "Zürich Łódź");
  EXPECT_EQ(latex_text("ąđ中😀"), "U+0105U+0111U+4E2DU+1F600");
  EXPECT_EQ(latex_text("\xC3"), "?");  // ends too early
  EXPECT_EQ(latex_text("\xFF\xC0\xAF"), "???");
  EXPECT_EQ(latex_text("\xE0\x80\x80"), "???");       // longer than it has to be
  EXPECT_EQ(latex_text("\xED\xA0\x80x"), "???x");     // half of a pair
  EXPECT_EQ(latex_text("\xF4\x90\x80\x80"), "????");  // beyond Unicode
}

TEST(Latex, LongTextLosesItsMiddle) {
  EXPECT_EQ(latex_text("0123456789", 10), "0123456789");
  EXPECT_EQ(latex_text("0123456789a", 10), "012345\\ldots{}89a");
  EXPECT_EQ(latex_text("ääääääääääxyz", 10), "ääääää\\ldots{}xyz");
  EXPECT_EQ(latex_length(std::string(500, '#'), 28), 28U);
}

TEST(Latex, BestIsBoldAndSecondUnderlined) {
  const double nothing = std::nan("");
  const auto marked = [](std::vector<double> values, Best best) {
    const LatexMarks marks(values, best);
    std::string all;
    for (const double value : values) all += marks(value, "v") + " ";
    return all;
  };
  const std::string bold = "\\textbf{v} ";
  const std::string second = "\\underline{v} ";
  EXPECT_EQ(marked({0.5, 0.7, 0.6}, Best::kHighest), "v " + bold + second);
  EXPECT_EQ(marked({0.5, 0.7, 0.6}, Best::kLowest), bold + "v " + second);
  // All that share a place are marked; sums in another order are equal.
  EXPECT_EQ(marked({0.3, 0.1 + 0.2, 0.2, 0.2, 0.1}, Best::kHighest),
            bold + bold + second + second + "v ");
  EXPECT_EQ(marked({0.5, 0.5}, Best::kHighest), bold + bold);
  EXPECT_EQ(marked({nothing, 0.5, 0.4}, Best::kHighest), "-- " + bold + second);
  EXPECT_EQ(marked({nothing, 0.5}, Best::kHighest), "-- v ");  // alone
  EXPECT_EQ(marked({}, Best::kHighest), "");
}

TEST(Latex, TablesByHand) {
  const auto runs = testing::some_runs("a_1");
  const auto parts = latex_tables(tabulate(runs)[0], 1);
  const std::string text = part(parts, "table-1-accuracy");
  const auto cell = [](const std::string& mean, const std::string& deviation) {
    return mean + "{\\tiny$\\pm$" + deviation + "}";
  };
  EXPECT_TRUE(has(text, "a\\_1 & " + cell("\\underline{0.8000}", "0.0000") + " & " +
                            cell("\\underline{0.8000}", "0.1414") + " & " +
                            cell("\\textbf{0.9000}", "0.0000") + " \\\\\n"))
      << text;
  EXPECT_TRUE(has(text, "b & " + cell("\\underline{0.5000}", "0.0000") + " & " +
                            cell("\\textbf{0.6000}", "0.0000") + " & " +
                            cell("\\textbf{0.6000}", "0.0000") + " \\\\\n"));
  EXPECT_TRUE(has(text, "c$^\\dagger$ & -- & " + cell("\\textbf{0.2000}", "0.0000") + " & "));
  EXPECT_TRUE(has(text, "Average & " + cell("0.6500", "0.0000") + " & "));
  EXPECT_TRUE(has(text, "Average rank & 2.75 & \\underline{2.00} & \\textbf{1.25} \\\\\n"));
  EXPECT_TRUE(has(text, "Best & 0 & \\underline{1} & \\textbf{2} \\\\\n"));
  EXPECT_TRUE(has(text, "mean of 1 to 2 runs"));
  EXPECT_TRUE(
      has(text, "2 of 3 data sets count for averages and ranks, those with $\\dagger$ do not."));
  EXPECT_TRUE(has(part(parts, "table-1-standings"), "Friedman's test"));
}

TEST(Latex, TheRankRuleStandsInEveryCaption) {
  std::vector<RunRecord> runs;
  for (const char* dataset : {"a", "b"})
    for (const char* method : {"spl", "uaspl", "uaspl_beta1", "uaspl_beta_t"})
      runs.push_back(testing::make_run(dataset, method, 1, 0.5));
  const ResultsTable table = tabulate(runs)[0];
  const auto parts = latex_tables(table, 3);
  EXPECT_EQ(parts.size(), 8U);  // with Wilcoxon's test, the ablation and the deviations
  for (const LatexPart& one : parts) EXPECT_TRUE(has(one.text, table.rule.text())) << one.name;
  EXPECT_TRUE(
      has(part(latex_figures(table, 3, table.methods), "figure-3-ranks"), table.rule.text()));
  EXPECT_TRUE(has(part(parts, "table-3-wilcoxon"), "spl & -- & 1.000 & 1.000 & 1.000"));
}

TEST(Latex, WhereNothingCanBeCompared) {
  // No data set has all methods, and what diverged has no value.
  std::vector<RunRecord> runs{testing::make_run("a", "spl", 1, 0.5),
                              testing::make_run("b", "uaspl", 1, std::nan(""))};
  runs[1].stages[0].loss_variation = std::nan("");
  const ResultsTable table = tabulate(runs)[0];
  const auto parts = latex_tables(table, 1);
  EXPECT_EQ(parts.size(), 4U);  // no standings
  EXPECT_TRUE(has(part(parts, "table-1-f1"), "b$^\\dagger$ & -- & --"));
  EXPECT_FALSE(has(part(parts, "table-1-f1"), "Average rank &"));
  for (const LatexPart& one : parts) EXPECT_FALSE(has(one.text, "nan")) << one.text;
  EXPECT_EQ(latex_figures(table, 1, table.methods).size(), 1U);  // no ranks
  EXPECT_TRUE(latex_conditions({}, table.methods).empty());
}

TEST(Latex, ManyMethodsAndDataSetsAreCut) {
  std::vector<LatexGrid> grids(3);
  for (LatexGrid& grid : grids) {
    grid.columns = "l";
    grid.rows.assign(60, "x \\\\\n");
  }
  const std::string text = latex_floats("label", "caption", grids);
  const auto count = [&](const std::string& what) {
    std::size_t found = 0;
    for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; ++at) ++found;
    return found;
  };
  EXPECT_EQ(count("x \\\\\n"), 180U);
  EXPECT_EQ(count("\\begin{tabular}"), 6U);
  EXPECT_EQ(count("\\begin{table}"), 3U);
  EXPECT_EQ(count("\\caption{(continued)}"), 2U);
  std::vector<std::pair<std::size_t, std::size_t>> blocks;
  latex_blocks(26, 12, {.width = 52, .most = 8},
               [&](std::size_t first, std::size_t last) { blocks.emplace_back(first, last); });
  using Block = std::pair<std::size_t, std::size_t>;
  EXPECT_EQ(blocks, (std::vector<Block>{{0, 6}, {6, 13}, {13, 19}, {19, 26}}));
}

TEST(Latex, SelectionsAreThinnedOut) {
  std::vector<SampleRecord> samples;
  for (int i = 0; i < 2500; ++i)
    samples.push_back({.stage = 0,
                       .row = i,
                       .loss = static_cast<float>(i),
                       .uncertainty = 0.25F,
                       .correct = i % 2 == 0});
  const SelectionTrace run{.variant = "",
                           .dataset = "a_b",
                           .method = "uaspl",
                           .seed = 7,
                           .stages = {order_by_loss(samples)}};
  const auto parts = latex_selections(std::span(&run, 1));
  const std::string text = part(parts, "figure-selection-1");
  EXPECT_TRUE(has(text, "on a\\_b (the usual protocol; seed 7)"));
  EXPECT_TRUE(has(text, "Only one of 3 rows is drawn"));
  EXPECT_TRUE(has(text, "{(1,0.250)(7,0.250)"));  // right: rows 0, 6, 12, ...
  EXPECT_TRUE(has(text, "{(4,0.250)(10,0.250)"));
}

TEST(Latex, TheDocumentNamesItsOwnPartsOnly) {
  const fs::path folder = fs::temp_directory_path() / ("uaspl_latex_" + std::to_string(::getpid()));
  ExperimentOptions longer;
  longer.fit.pretraining = 50;
  auto runs = testing::some_runs("a_1");
  runs.push_back(testing::make_run("b", "spl", 1, 0.3, {}, longer));
  const auto tables = tabulate(runs);
  write_latex_report(folder / "deep", Report{tables, sweeps(tables), {}});
  std::string text = read(folder / "deep" / "report.tex");
  EXPECT_TRUE(has(text, "\\input{table-2-accuracy}"));
  EXPECT_TRUE(has(text, "\\input{figure-conditions-1}"));
  EXPECT_LT(text.find("The usual protocol"), text.find("pre-training 50"));
  EXPECT_TRUE(has(read(folder / "deep" / "table-1-f1.tex"), "% \\usepackage{booktabs}\n"));
  runs.pop_back();
  std::ofstream(folder / "deep" / "mine.tex") << "own";
  write_latex_report(folder / "deep", Report{tabulate(runs), {}, {}});
  text = read(folder / "deep" / "report.tex");
  EXPECT_FALSE(has(text, "{table-2-accuracy}"));
  EXPECT_FALSE(has(text, "conditions"));
  EXPECT_EQ(read(folder / "deep" / "mine.tex"), "own");
  fs::remove_all(folder);
  EXPECT_THROW(write_latex_report("/proc/no/such", Report{tabulate(runs), {}, {}}), Error);
}

}  // namespace
}  // namespace uaspl
