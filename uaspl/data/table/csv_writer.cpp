// Writes cells of CSV files, see csv_writer.hpp.
#include "uaspl/data/table/csv_writer.hpp"

#include <algorithm>

#include "uaspl/data/table/parse_number.hpp"

namespace uaspl {
namespace {

bool is_formula(std::string_view cell) {
  return !cell.empty() &&
         std::string_view("=+-@\t\r").find(cell.front()) != std::string_view::npos &&
         !parse_number(cell);
}

// Returns the place behind the last byte of the cell with which the text begins.
std::size_t end_of_cell(std::string_view text) {
  if (!text.starts_with('"')) return std::min(text.find_first_of(",\n"), text.size());
  std::size_t end = 1;
  while (end < text.size() && (text[end] != '"' || text.substr(end + 1).starts_with('"')))
    end += text[end] == '"' ? 2 : 1;
  return std::min(end + 1, text.size());
}

}  // namespace

std::string csv_cell(std::string_view text) {
  // Blanks at the ends would be cut off when the cell is read.
  constexpr std::string_view kBlanks = " \t";
  const bool blank = !text.empty() && (kBlanks.find(text.front()) != std::string_view::npos ||
                                       kBlanks.find(text.back()) != std::string_view::npos);
  if (!blank && text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

std::string without_formulas(std::string_view lines) {
  std::string safe;
  while (!lines.empty()) {
    const std::string_view cell = lines.substr(0, end_of_cell(lines));
    const std::size_t quote = cell.starts_with('"') ? 1 : 0;
    safe += cell.substr(0, quote);
    if (is_formula(cell.substr(quote, cell.size() - 2 * quote))) safe += '\'';
    safe += cell.substr(quote);
    lines.remove_prefix(cell.size());
    safe += lines.substr(0, 1);  // a comma or the end of the line
    lines.remove_prefix(std::min<std::size_t>(1, lines.size()));
  }
  return safe;
}

}  // namespace uaspl
