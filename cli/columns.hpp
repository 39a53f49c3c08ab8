// Shows what the columns of a table hold.
#pragma once

#include <cstdio>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>

#include "uaspl/data/table/describe.hpp"

namespace uaspl::cli {

// Prints a table, a line for each column; of very many, the first.
void print_columns(std::FILE* out, std::span<const ColumnDescription> columns);

// Lists a few of such cells.
std::string examples_of(const OddCells& odd);

nlohmann::ordered_json columns_json(std::span<const ColumnDescription> columns);

}  // namespace uaspl::cli
