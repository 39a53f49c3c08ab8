// Any bytes as a cell: what is taken for a number has the value that the C library gives it, and
// digits with a point among them are always a number.
#include <algorithm>
#include <bit>
#include <cmath>

#include "fuzz/support.hpp"
#include "uaspl/data/table/parse_number.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string cell(uaspl::fuzz::text_of(bytes, size));
  const auto value = uaspl::parse_number(cell);
  const bool digits = cell.find_first_of("0123456789") != std::string::npos;
  const bool plain = cell.find_first_not_of("0123456789.") == std::string::npos;
  if (!value) {
    if (digits && plain && std::count(cell.begin(), cell.end(), '.') <= 1) std::abort();
    return 0;
  }
  if (std::isnan(*value)) return 0;
  char* end = nullptr;
  const double expected = std::strtod(cell.c_str(), &end);
  if (end != cell.c_str() + cell.size()) std::abort();
  if (std::bit_cast<std::uint64_t>(expected) != std::bit_cast<std::uint64_t>(*value)) std::abort();
  std::string room = cell + std::string(uaspl::kNumberRoom, ' ');
  double fast = 0.0;
  if (!cell.empty() && uaspl::parse_short_number({room.data(), cell.size()}, fast) &&
      fast != *value)
    std::abort();
  return 0;
}
