// Makes the parts of a LaTeX report: escaped text, tables, figures.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "uaspl/report/report.hpp"

namespace uaspl {

// Escapes any text so that LaTeX prints it on one line, in fonts that every TeX has. Characters
// that these lack become, for example, "U+4E2D". A text of more than `most` characters loses its
// middle.
std::string latex_text(std::string_view text, std::size_t most = 60);
// Returns about how many characters this prints.
std::size_t latex_length(std::string_view text, std::size_t most = 60);

inline constexpr std::size_t kLatexMethod = 30;   // longest label of a method
inline constexpr std::size_t kLatexDataset = 28;  // longest name of a data set
inline std::string latex_method(std::string_view label) { return latex_text(label, kLatexMethod); }
inline std::string latex_dataset(std::string_view name) { return latex_text(name, kLatexDataset); }

// Returns "the usual protocol", or what is different.
std::string latex_variant(std::string_view variant);
// Returns "50 runs" or "3 to 50 runs", over the data sets and methods that have some.
std::string latex_runs(const ResultsTable& table);
// Scales the body so that it is not wider than the line.
std::string latex_fitted(const std::string& body);

struct LatexPart {
  std::string name;  // of the file, without ".tex"
  std::string text;
};

// Makes the tables of one variant.
std::vector<LatexPart> latex_tables(const ResultsTable& table, std::size_t number);
// Makes the figures of one variant; `methods` are all of the report, so that a method looks the
// same in all figures.
std::vector<LatexPart> latex_figures(const ResultsTable& table, std::size_t number,
                                     std::span<const std::string> methods);
std::vector<LatexPart> latex_conditions(std::span<const Sweep> sweeps,
                                        std::span<const std::string> methods);
std::vector<LatexPart> latex_selections(std::span<const SelectionTrace> runs);

}  // namespace uaspl
