// Makes tables from memory: from numbers, or from rows by the names of their columns.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "uaspl/data/dataset.hpp"
#include "uaspl/data/table/load.hpp"

namespace uaspl {

// Columns without names are called c1, c2, ..., classes without names by their numbers. NaN is a
// missing value and counts as the mean of its column. Throws an Error if sizes or labels do not
// fit.
Dataset make_table(DoubleMatrix features, std::vector<int> labels,
                   std::vector<std::string> columns = {}, std::vector<std::string> classes = {});

// Makes a table as if the rows stood in a CSV file: a column with any text in it is categorical. A
// column that a row lacks is a missing value. options.target names the class.
Dataset make_table(std::span<const NamedRow> rows, const LoadOptions& options);

}  // namespace uaspl
