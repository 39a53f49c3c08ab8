// Finds columns of a table that nothing can be learned from.
#pragma once

#include "uaspl/data/dataset.hpp"
#include "uaspl/data/table/load.hpp"

namespace uaspl {

// Leaves out the columns whose cells are all missing or all the same, and whole numbers that only
// tell rows apart: 1, 2, ... in any order, or different numbers under a name such as `customer_id`.
// Columns that the options ask for stay. The schema says what was left out. Finds out as well which
// parts of dates vary. Throws an Error if no column stays.
void leave_out_useless(Dataset& data, const LoadOptions& options);

}  // namespace uaspl
