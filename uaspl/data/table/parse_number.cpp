// Parses numbers, see parse_number.hpp.
#include "uaspl/data/table/parse_number.hpp"

#include <charconv>
#include <limits>

namespace uaspl {
namespace {

// Parses digits with at most one point, few enough that they and the power of ten are exact in
// double: then one division rounds correctly (Clinger 1990).
std::optional<double> parse_short(std::string_view cell) {
  constexpr std::uint64_t kExact = std::uint64_t{1} << 53;
  const bool negative = cell.starts_with('-');
  const char* at = cell.data() + (negative ? 1 : 0);
  const char* const end = cell.data() + cell.size();
  if (end - at > 16) return std::nullopt;
  std::uint64_t digits = 0;
  const char* fraction = nullptr;
  const char* const first = at;
  for (; at != end; ++at) {
    const auto digit = static_cast<unsigned char>(*at - '0');
    if (digit < 10) {
      digits = 10 * digits + digit;
    } else if (*at == '.' && fraction == nullptr) {
      fraction = at + 1;
    } else {
      return std::nullopt;
    }
  }
  const std::ptrdiff_t count = end - first - (fraction != nullptr ? 1 : 0);
  if (count < 1 || digits > kExact) return std::nullopt;
  const auto value = static_cast<double>(digits) / kTens[fraction != nullptr ? end - fraction : 0];
  return negative ? -value : value;
}

}  // namespace

std::optional<double> parse_number(std::string_view cell) {
  if (const auto value = parse_short(cell)) return value;
  if (cell.size() > 1 && cell[0] == '+' && cell[1] != '-') cell.remove_prefix(1);
  double value = 0.0;
  const auto [end, status] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
  if (end != cell.data() + cell.size() || cell.empty()) return std::nullopt;
  if (status == std::errc::result_out_of_range) {
    // A number that is too small is zero, and one that is too large is not finite.
    const std::size_t exponent = cell.find_first_of("eE");
    const bool small =
        exponent != std::string_view::npos && cell.substr(exponent + 1).starts_with('-');
    return small ? 0.0 : std::numeric_limits<double>::infinity();
  }
  if (status != std::errc()) return std::nullopt;
  return value;
}

}  // namespace uaspl
