// Errors about cells, see record_reader.hpp.
#include "uaspl/data/table/record_reader.hpp"

#include <fmt/format.h>

#include "uaspl/base/text.hpp"

namespace uaspl {

Error RecordReader::error(std::size_t column, std::string_view what) const {
  return Error(fmt::format("{}:{}: column {} ('{}'): {}", name_, line_, column + 1,
                           printable(columns_[column]), what));
}

}  // namespace uaspl
