// Writes reports as LaTeX files, see latex.hpp.
#include "uaspl/report/latex.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "uaspl/base/error.hpp"
#include "uaspl/io/file.hpp"
#include "uaspl/report/latex_parts.hpp"

namespace uaspl {
namespace {

constexpr std::string_view kPackages =
    "\\usepackage{booktabs}\n"
    "\\usepackage{graphicx}\n"
    "\\usepackage{pgfplots}\n"
    "\\usepgfplotslibrary{groupplots}\n"
    "\\pgfplotsset{compat=1.16}\n";

// Returns the lines of kPackages as comments.
std::string needed() {
  std::string text = "% Needs, before \\begin{document}:\n% ";
  for (const char c : kPackages.substr(0, kPackages.size() - 1))
    text += c == '\n' ? std::string("\n% ") : std::string(1, c);
  return text + "\n";
}

void write_file(const std::filesystem::path& path, std::string_view text) {
  AtomicFile file(path);
  file.write(text);
  file.commit();
}

// Builds a document: its parts are written as they are added, the document itself at the end.
class Document {
 public:
  explicit Document(std::filesystem::path folder) : folder_(std::move(folder)) {}

  void section(const std::string& title) { body_ += "\n\\clearpage\n\\section{" + title + "}\n"; }
  void paragraph(const std::string& text) { body_ += text + "\n"; }
  void add(std::span<const LatexPart> parts) {
    for (const LatexPart& part : parts) {
      write_file(folder_ / (part.name + ".tex"), needed() + part.text);
      body_ += "\\input{" + part.name + "}\n";
    }
  }
  void finish() const {
    write_file(
        folder_ / "report.tex",
        "% Compile with: pdflatex report (twice). The parts can stand in any document.\n" +
            needed() + "% On Debian, the package texlive-pictures brings all of it.\n" +
            "\\documentclass[a4paper]{article}\n\\usepackage[margin=2cm]{geometry}\n" +
            std::string(kPackages) +
            // Allow pages of only tables and figures, and names that cannot be broken.
            "\\renewcommand{\\topfraction}{.95}\\renewcommand{\\bottomfraction}{.95}\n"
            "\\renewcommand{\\textfraction}{.02}\\renewcommand{\\floatpagefraction}{.7}\n"
            "\\makeatletter\\setlength{\\@fptop}{0pt}\\setlength{\\@fpsep}{18pt}\\makeatother\n"
            "\\extrafloats{200}\\setlength{\\emergencystretch}{4em}\n"
            "\\title{Results}\\date{}\n\\begin{document}\n" +
            body_.substr(body_.find("\\section")) + "\\end{document}\n");
  }

 private:
  std::filesystem::path folder_;
  std::string body_;
};

// Puts the usual protocol first.
std::vector<const ResultsTable*> ordered(std::span<const ResultsTable> tables) {
  std::vector<const ResultsTable*> all;
  for (const ResultsTable& table : tables) all.push_back(&table);
  std::stable_partition(all.begin(), all.end(),
                        [](const ResultsTable* t) { return t->variant.empty(); });
  return all;
}

std::vector<std::string> all_methods(std::span<const ResultsTable* const> tables) {
  std::vector<std::string> all;
  for (const ResultsTable* table : tables)
    for (const std::string& method : table->methods)
      if (std::ranges::find(all, method) == all.end()) all.push_back(method);
  return all;
}

std::string title(const ResultsTable& table) {
  return table.variant.empty() ? "The usual protocol" : latex_variant(table.variant);
}

void add_selections(Document& document, const Selections& selections) {
  if (selections.runs.empty()) return;
  document.section("Selected rows");
  if (selections.without_samples > 0)
    document.paragraph(
        fmt::format("There was no room for {} more traced run(s).\n", selections.without_samples));
  std::vector<SelectionTrace> shown;
  std::ranges::copy_if(selections.runs, std::back_inserter(shown), &SelectionTrace::has_samples);
  const std::vector<LatexPart> parts = latex_selections(shown);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    document.add(std::span(&parts[i], 1));
    // Each figure has thousands of points: TeX must not have to keep many of them in memory.
    if (i % 2 == 1) document.paragraph("\\clearpage");
  }
}

}  // namespace

void write_latex_report(const std::filesystem::path& folder, const Report& report) {
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (failed) throw Error(fmt::format("{}: {}", folder.string(), failed.message()));
  const std::vector<const ResultsTable*> tables = ordered(report.tables);
  const std::vector<std::string> methods = all_methods(tables);
  Document document(folder);
  for (std::size_t i = 0; i < tables.size(); ++i) {
    document.section(title(*tables[i]));
    document.add(latex_tables(*tables[i], i + 1));
    document.paragraph("\\clearpage");  // no figure in the middle of a long table
    document.add(latex_figures(*tables[i], i + 1, methods));
  }
  if (const std::vector<LatexPart> parts = latex_conditions(report.sweeps, methods);
      !parts.empty()) {
    document.section("Conditions");
    document.add(parts);
  }
  add_selections(document, report.selections);
  document.finish();
}

}  // namespace uaspl
