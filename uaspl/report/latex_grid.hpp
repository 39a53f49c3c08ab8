// What the tables of a LaTeX report are made of: grids of cells, cut to fit on pages.
#pragma once

#include <functional>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "uaspl/report/stats.hpp"

namespace uaspl {

// The best value is bold and the second underlined, with all that equal them.
class LatexMarks {
 public:
  // Values that are not numbers are left out.
  LatexMarks(std::span<const double> values, Best best);
  // The text of a value; "--" where that is not a number.
  std::string operator()(double value, const std::string& text) const;

 private:
  double sign_;
  double best_ = std::numeric_limits<double>::quiet_NaN();
  double second_ = best_;
};

// A tabular.
struct LatexGrid {
  std::string columns;
  std::string head;
  std::size_t head_lines = 1;  // its height
  std::vector<std::string> rows;
};

std::string latex_row(std::span<const std::string> cells);
// A column for each method, with names that stand upright where they have more than `room`
// characters.
LatexGrid latex_columns(const std::string& corner, std::span<const std::string> methods,
                        std::size_t room);
// Of the longest name, and at least that of our own row names.
std::size_t latex_longest(std::span<const std::string> names, std::size_t most);
// Calls for first..last of the columns of each of as few, equally wide blocks as the line has room
// for: columns of `width` points, `most` of them, beside names of `name_length` characters.
struct LatexFit {
  double width;
  double most;
};
void latex_blocks(std::size_t columns, std::size_t name_length, const LatexFit& fit,
                  const std::function<void(std::size_t first, std::size_t last)>& visit);
// The grids below each other, in as many tables as they need pages.
std::string latex_floats(const std::string& label, const std::string& caption,
                         std::span<const LatexGrid> grids);

}  // namespace uaspl
