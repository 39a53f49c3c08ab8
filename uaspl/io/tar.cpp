// Reads tar archives, see tar.hpp.
#include "uaspl/io/tar.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace uaspl {
namespace {

constexpr std::size_t kBlock = 512;
// A header has room for at most eleven octal digits.
constexpr std::size_t kMostDigits = 11;

// Returns the text of a field, which ends at a zero or with the field.
std::string_view field(const char* header, std::size_t begin, std::size_t length) {
  const std::string_view all(header + begin, length);
  return all.substr(0, all.find('\0'));
}

// Parses an octal number between blanks; returns false for anything else.
bool parse_octal(std::string_view text, std::size_t& number) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  const auto is_octal = [](char c) { return c >= '0' && c <= '7'; };
  if (text.empty() || text.size() > kMostDigits || !std::ranges::all_of(text, is_octal))
    return false;
  number = 0;
  for (const char c : text) number = number * 8 + static_cast<std::size_t>(c - '0');
  return true;
}

// Returns the sum of the header's bytes, with the field of the sum itself taken as blanks.
std::size_t header_sum(const char* header) {
  std::size_t sum = 0;
  for (std::size_t i = 0; i < kBlock; ++i)
    sum += i >= 148 && i < 156 ? ' ' : static_cast<unsigned char>(header[i]);
  return sum;
}

}  // namespace

void TarReader::parse_header(const char* header) {
  const auto wrong = [&](std::string_view what) {
    bytes_.fail(fmt::format("no tar header at byte {}: {}", bytes_.position() - kBlock, what));
  };
  std::size_t sum = 0;
  if (!parse_octal(field(header, 148, 8), sum) || sum != header_sum(header))
    wrong("its sum is wrong");
  if (!parse_octal(field(header, 124, 12), size_)) wrong("its size is no octal number");
  const char kind = header[156];
  is_file_ = kind == '0' || kind == '\0';
  name_ = field(header, 0, 100);
  const std::string_view prefix = field(header, 345, 155);
  if (field(header, 257, 6).starts_with("ustar") && !prefix.empty())
    name_ = std::string(prefix) + "/" + name_;
}

bool TarReader::next() {
  do {
    bytes_.skip(next_ - bytes_.position());
    std::array<char, kBlock> header{};
    const std::size_t got = bytes_.read_some(header.data(), kBlock);
    const bool empty = std::ranges::all_of(header, [](char c) { return c == '\0'; });
    if (got == 0 || (got == kBlock && empty)) return false;
    if (got < kBlock) bytes_.fail(fmt::format("ends within a tar header, at byte {}", next_ + got));
    parse_header(header.data());
    next_ = bytes_.position() + (size_ + kBlock - 1) / kBlock * kBlock;
  } while (!is_file_);
  return true;
}

}  // namespace uaspl
