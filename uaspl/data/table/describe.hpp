// Says in words what was found in a table.
#pragma once

#include <string>
#include <vector>

#include "uaspl/data/dataset.hpp"

namespace uaspl {

struct ColumnDescription {
  std::string name;
  std::string kind;     // class, number, category, date, or `left out`
  std::string content;  // its range or its levels, or why it is left out; printable
  std::size_t missing = 0;
  OddCells odd = {};  // cells that count as missing, as they are no numbers or dates
};

// Describes the class column, the features in their order, and what is left out.
std::vector<ColumnDescription> describe_columns(const Dataset& data);

// Describes columns by what a model knows of them.
std::vector<ColumnDescription> describe_columns(const Schema& schema, const Target& target);

// Returns what should make one doubt that a table is what one wants to learn from, in sentences.
std::vector<std::string> doubts(const Dataset& data);

}  // namespace uaspl
