// Finds the class column of a table.
#pragma once

#include <cstddef>

#include "uaspl/data/table/load.hpp"
#include "uaspl/data/table/record_reader.hpp"

namespace uaspl {

// Returns the column that the options name, or the format of the file. If none is named, it is the
// first one as published; otherwise a look at the records decides: the column that is called class,
// label, target or y, or the only one of the last and the first that looks like classes. Throws an
// Error that lists candidates if that is unclear. The reader is left at its first record.
std::size_t find_target(RecordReader& reader, const LoadOptions& options);

}  // namespace uaspl
