// Builds the tables of a LaTeX report from grids of cells, cut to fit on pages.
#pragma once

#include <functional>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "uaspl/report/stats.hpp"

namespace uaspl {

// Marks the best value bold and the second underlined, and all values that equal them.
class LatexMarks {
 public:
  // Values that are NaN are ignored.
  LatexMarks(std::span<const double> values, Best best);
  // Returns the marked text of a value; "--" if it is NaN.
  std::string operator()(double value, const std::string& text) const;

 private:
  double sign_;
  double best_ = std::numeric_limits<double>::quiet_NaN();
  double second_ = best_;
};

// The content of a LaTeX tabular.
struct LatexGrid {
  std::string columns;
  std::string head;
  std::size_t head_lines = 1;  // height of the head
  std::vector<std::string> rows;
};

std::string latex_row(std::span<const std::string> cells);
// Makes a column for each method; names of more than `room` characters are set upright.
LatexGrid latex_columns(const std::string& corner, std::span<const std::string> methods,
                        std::size_t room);
// Returns the length of the longest name, and at least that of the report's own row names.
std::size_t latex_longest(std::span<const std::string> names, std::size_t most);
// Cuts columns into blocks that fit on a line, as few and as equally wide as possible, and calls
// for first..last of each. A block has at most `most` columns of `width` points, beside names of
// `name_length` characters.
struct LatexFit {
  double width;
  double most;
};
void latex_blocks(std::size_t columns, std::size_t name_length, const LatexFit& fit,
                  const std::function<void(std::size_t first, std::size_t last)>& visit);
// Puts the grids below each other, in as many tables as they need pages.
std::string latex_floats(const std::string& label, const std::string& caption,
                         std::span<const LatexGrid> grids);

}  // namespace uaspl
