// Chooses the reader of a table, see open_records.hpp.
#include "uaspl/data/table/open_records.hpp"

#include "uaspl/data/table/csv.hpp"

namespace uaspl {

std::unique_ptr<RecordReader> open_records(Input& input, const TableFormat& format) {
  return std::make_unique<CsvReader>(input, format);
}

}  // namespace uaspl
