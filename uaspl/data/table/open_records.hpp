// Opens a table of any format, which its content says.
#pragma once

#include <memory>

#include "uaspl/data/table/record_reader.hpp"
#include "uaspl/io/input.hpp"

namespace uaspl {

// CSV (or TSV), ARFF, libsvm or JSON lines, packed by gzip or not, in UTF-8, UTF-16 or
// Windows-1252. What is nothing else is CSV. The input must outlive the reader; a pipe is read into
// memory where the format needs two passes, see TableFormat::expected.
std::unique_ptr<RecordReader> open_records(Input& input, const TableFormat& format);

}  // namespace uaspl
