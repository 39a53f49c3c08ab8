// Parses numbers as they are written in CSV files, rounded to the nearest double.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

namespace uaspl {

// Returns the value of a cell that is a number, finite or not; nothing for text. A number that is
// too small for a double is zero, one that is too large is infinite.
std::optional<double> parse_number(std::string_view cell);

// Numbers that networks, which compute in float, can take.
struct NumberRange {
  double low = std::numeric_limits<float>::lowest();
  double high = std::numeric_limits<float>::max();
  bool contains(double x) const { return low <= x && x <= high; }  // false for NaN
};

// Says what is wrong with a number that is outside of the range, as it is written.
std::string number_complaint(std::string_view cell, double value);

constexpr std::uint64_t kEachByte = 0x0101010101010101;

inline std::uint64_t load_word(const char* text) {
  std::uint64_t word = 0;
  std::memcpy(&word, text, sizeof word);
  return word;
}

// Returns the high bit of each byte of the word that is `c`.
constexpr std::uint64_t bytes_that_are(char c, std::uint64_t word) {
  constexpr std::uint64_t kLow = 0x7f * kEachByte;
  const std::uint64_t other = word ^ (static_cast<unsigned char>(c) * kEachByte);
  return ~(((other & kLow) + kLow) | other | kLow);
}

// Powers of ten that are exact in double.
constexpr double kTens[] = {1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                            1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
constexpr double kSigns[] = {1.0, -1.0};

// The bytes that must be readable from the start of a cell, whatever they are: a sign and a word,
// rounded up.
constexpr std::size_t kNumberRoom = 16;

inline bool parse_number(std::string_view cell, double& value) {
  const auto number = parse_number(cell);
  if (number) value = *number;
  return number.has_value();
}

// Parses a short number with this room after it, without a branch on its digits: a sign and up to
// eight characters, digits with a point among them, are worked on as one word. Returns false for
// any other cell. (An optional result would go through memory, 5 ns a number.)
inline bool parse_short_number(std::string_view cell, double& value) {
  if constexpr (std::endian::native != std::endian::little) return false;
  const std::size_t signs = *cell.data() == '-' ? 1 : 0;
  const std::size_t size = cell.size() - signs;
  if (size - 1 > 7) return false;
  const std::uint64_t word = load_word(cell.data() + signs);
  const std::uint64_t inside = ~std::uint64_t{0} >> (64 - 8 * size);
  const std::uint64_t all_points = bytes_that_are('.', word) & inside;
  const std::uint64_t points = all_points & (0 - all_points);  // a second one fails below
  // Close the gap of the point, if any, and move the last digit to the top: bytes after the cell
  // are shifted out, and zeros are shifted in.
  const std::uint64_t before = points != 0 ? (points - 1) >> 7 : ~std::uint64_t{0};
  const std::size_t digits = size - (points != 0 ? 1 : 0);
  if (digits == 0) return false;
  std::uint64_t packed = word ^ ('0' * kEachByte);
  packed = (packed & before) | ((packed >> 8) & ~before);
  packed <<= 64 - 8 * digits;
  if (((packed | (packed + 0x76 * kEachByte)) & (0x80 * kEachByte)) != 0) return false;
  // Combine pairs of digits, pairs of pairs, and all eight.
  packed = 10 * packed + (packed >> 8);
  packed = ((packed & 0x000000FF000000FF) * 0x000F424000000064 +
            ((packed >> 16) & 0x000000FF000000FF) * 0x0000271000000001) >>
           32;
  const auto point = static_cast<std::size_t>(std::countr_zero(points)) / 8;
  value = kSigns[signs] * static_cast<double>(packed) / kTens[points != 0 ? size - 1 - point : 0];
  return true;
}

}  // namespace uaspl
