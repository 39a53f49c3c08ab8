// The parts of a LaTeX report: text that is safe, tables, figures.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "uaspl/report/report.hpp"

namespace uaspl {

// Any text as LaTeX that prints it, on one line, in the fonts that every TeX has; characters which
// these lack become "U+4E2D". What has more than `most` characters loses its middle.
std::string latex_text(std::string_view text, std::size_t most = 60);
// How many characters this prints, about.
std::size_t latex_length(std::string_view text, std::size_t most = 60);

inline constexpr std::size_t kLatexMethod = 30;   // longest label of a method
inline constexpr std::size_t kLatexDataset = 28;  // longest name of a data set
inline std::string latex_method(std::string_view label) { return latex_text(label, kLatexMethod); }
inline std::string latex_dataset(std::string_view name) { return latex_text(name, kLatexDataset); }

// "the usual protocol", or what is different.
std::string latex_variant(std::string_view variant);
// "50 runs", "3 to 50 runs": of the data sets and methods that have some.
std::string latex_runs(const ResultsTable& table);
// Not wider than the line, whatever is in it.
std::string latex_fitted(const std::string& body);

struct LatexPart {
  std::string name;  // of the file, without ".tex"
  std::string text;
};

// Of one variant.
std::vector<LatexPart> latex_tables(const ResultsTable& table, std::size_t number);
// The same; `methods` are all of the report, so that a method looks the same in all figures.
std::vector<LatexPart> latex_figures(const ResultsTable& table, std::size_t number,
                                     std::span<const std::string> methods);
std::vector<LatexPart> latex_conditions(std::span<const Sweep> sweeps,
                                        std::span<const std::string> methods);
std::vector<LatexPart> latex_selections(std::span<const SelectionTrace> runs);

}  // namespace uaspl
