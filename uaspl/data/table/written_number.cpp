// Numbers as people write them, see written_number.hpp.
#include "uaspl/data/table/written_number.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

#include "uaspl/data/table/parse_number.hpp"

namespace uaspl {
namespace {

constexpr std::size_t kLongest = 64;  // no number that a person writes is longer

// Signs and abbreviations of money, and percent signs, before or after a number.
constexpr std::string_view kMarks[] = {"%", "€", "$", "£", "¥", "EUR", "USD", "GBP", "CHF", "Fr."};

void trim(std::string_view& cell) {
  constexpr std::string_view kSpaces[] = {" ", "\u00a0", "\u202f"};
  for (bool changed = true; changed;) {
    changed = false;
    for (const std::string_view space : kSpaces) {
      if (cell.starts_with(space)) cell.remove_prefix(space.size()), changed = true;
      if (cell.ends_with(space)) cell.remove_suffix(space.size()), changed = true;
    }
  }
}

// Takes at most one mark away.
void take_mark(std::string_view& cell) {
  for (const std::string_view mark : kMarks) {
    if (cell.starts_with(mark))
      cell.remove_prefix(mark.size());
    else if (cell.ends_with(mark))
      cell.remove_suffix(mark.size());
    else
      continue;
    return trim(cell);
  }
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// The size of a sign that separates thousands at the start of the text, 0 if there is none.
std::size_t separator_at(std::string_view text, char thousands) {
  if (text.starts_with(thousands) || text.starts_with(' ') || text.starts_with('\'')) return 1;
  for (const std::string_view wide : {"\u00a0", "\u202f", "\u2019"})
    if (text.starts_with(wide)) return wide.size();
  return 0;
}

// Writes the whole part into `out` without its separators; false if groups are not of three.
bool join_groups(std::string_view whole, char thousands, char* out, std::size_t& size) {
  std::size_t in_group = 0;
  std::size_t groups = 0;
  std::string_view first_separator;
  for (std::size_t at = 0; at < whole.size();) {
    if (is_digit(whole[at])) {
      out[size++] = whole[at++];
      ++in_group;
      continue;
    }
    const std::size_t length = separator_at(whole.substr(at), thousands);
    const std::string_view separator = whole.substr(at, length);
    const bool fits = groups == 0 ? in_group >= 1 && in_group <= 3 : in_group == 3;
    if (length == 0 || !fits || (groups > 0 && separator != first_separator)) return false;
    first_separator = separator;
    ++groups;
    in_group = 0;
    at += length;
  }
  const bool leading_zero = groups > 0 && whole.front() == '0';  // 0.123 is no group
  return !leading_zero && (groups == 0 || in_group == 3);
}

}  // namespace

bool parse_written_number(std::string_view cell, char decimal, double& value) {
  if (decimal == '.' && parse_number(cell, value)) return true;
  if (cell.size() > kLongest)
    return decimal != '.' && cell.find('.') == cell.npos && parse_number(cell, value);
  trim(cell);
  const auto is_sign = [](char c) { return c == '-' || c == '+'; };
  char sign = '+';
  const auto take_sign = [&] {
    if (cell.empty() || !is_sign(cell.front())) return;
    sign = cell.front();
    cell.remove_prefix(1);
    trim(cell);
  };
  take_sign();
  const bool signed_before = !cell.empty() && sign == '-';
  take_mark(cell);
  if (!signed_before) take_sign();
  if (cell.empty() || !(is_digit(cell.front()) || cell.front() == decimal)) return false;
  std::array<char, kLongest + 1> plain{};
  std::size_t size = 0;
  if (sign == '-') plain[size++] = '-';
  const std::string_view whole =
      cell.substr(0, std::min(cell.size(), cell.find_first_of(decimal == '.' ? ".eE" : ",eE")));
  if (!join_groups(whole, decimal == '.' ? ',' : '.', plain.data(), size)) return false;
  for (const char c : cell.substr(whole.size())) {
    if (c == (decimal == '.' ? ',' : '.')) return false;
    plain[size++] = c == decimal ? '.' : c;
  }
  return parse_number(std::string_view(plain.data(), size), value);
}

}  // namespace uaspl
