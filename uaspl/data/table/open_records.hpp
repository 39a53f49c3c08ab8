// Opens a table of any format, which its content says.
#pragma once

#include <memory>

#include "uaspl/data/table/record_reader.hpp"
#include "uaspl/io/input.hpp"

namespace uaspl {

// The input must outlive the reader.
std::unique_ptr<RecordReader> open_records(Input& input, const TableFormat& format);

}  // namespace uaspl
