// Parses numbers, see parse_number.hpp.
#include "uaspl/data/table/parse_number.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "uaspl/base/text.hpp"

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

// Says whether a number that no double can hold is too small, rather than too large, for one: by
// the decimal place of its first digit that is not zero.
bool is_too_small(std::string_view number) {
  const std::size_t e = std::min(number.find_first_of("eE"), number.size());
  const std::string_view digits = number.substr(0, e);
  const std::size_t first = digits.find_first_of("123456789");
  if (first == std::string_view::npos) return true;
  const auto point = static_cast<std::ptrdiff_t>(std::min(digits.find('.'), digits.size()));
  std::ptrdiff_t exponent = 0;
  if (e < number.size()) {
    std::string_view written = number.substr(e + 1);
    if (written.starts_with('+')) written.remove_prefix(1);
    const auto [end, status] =
        std::from_chars(written.data(), written.data() + written.size(), exponent);
    // No number of digits makes up for that.
    if (status == std::errc::result_out_of_range) return written.starts_with('-');
  }
  return exponent < static_cast<std::ptrdiff_t>(first) - point;
}

}  // namespace

std::optional<double> parse_number(std::string_view cell) {
  if (const auto value = parse_short(cell)) return value;
  if (cell.size() > 1 && cell[0] == '+' && cell[1] != '-') cell.remove_prefix(1);
  double value = 0.0;
  const auto [end, status] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
  if (end != cell.data() + cell.size() || cell.empty()) return std::nullopt;
  if (status == std::errc::result_out_of_range) {
    const double limit = is_too_small(cell) ? 0.0 : std::numeric_limits<double>::infinity();
    return cell.starts_with('-') ? -limit : limit;
  }
  if (status != std::errc()) return std::nullopt;
  return value;
}

std::string number_complaint(std::string_view cell, double value) {
  const std::string shown = printable(cell);
  if (!std::isfinite(value)) return fmt::format("'{}' is not a finite number", shown);
  if (!NumberRange().contains(value))
    return fmt::format("'{}' is too large, expected at most 3.4e38", shown);
  return fmt::format("'{}' is too far from the values that the model was trained with", shown);
}

}  // namespace uaspl
