// Small helpers for text, see text.hpp.
#include "uaspl/base/text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

namespace uaspl {
namespace {

struct Character {
  std::size_t bytes;  // none: the text does not begin with valid UTF-8
  std::uint32_t point;
};

Character first_character(std::string_view text) {
  constexpr Character kInvalid = {0, 0};
  const auto lead = static_cast<unsigned char>(text.front());
  if (lead < 0x80) return {1, lead};
  const std::size_t more = lead >= 0xF0 ? 3 : lead >= 0xE0 ? 2 : 1;
  if (lead < 0xC2 || lead > 0xF4 || text.size() <= more) return kInvalid;
  std::uint32_t point = lead & (0x3FU >> more);
  for (const char c : text.substr(1, more)) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte & 0xC0) != 0x80) return kInvalid;
    point = point << 6 | (byte & 0x3FU);
  }
  const bool overlong = (more == 2 && point < 0x800) || (more == 3 && point < 0x10000);
  if (overlong || point > 0x10FFFF || (point >= 0xD800 && point < 0xE000)) return kInvalid;
  return {1 + more, point};
}

// Returns how many bytes from the first on are below 0x80, looked at a few words at a time.
std::size_t ascii_prefix(std::string_view text) {
  constexpr std::size_t kBlock = 256;
  std::size_t at = 0;
  for (; at + kBlock <= text.size(); at += kBlock) {
    std::uint64_t words[kBlock / 8];
    std::memcpy(words, text.data() + at, kBlock);
    std::uint64_t any = 0;
    for (const std::uint64_t word : words) any |= word;
    if ((any & 0x8080808080808080) != 0) break;
  }
  while (at < text.size() && static_cast<unsigned char>(text[at]) < 0x80) ++at;
  return at;
}

// Says whether a character does something to a terminal or to the text around it, or is not seen.
bool is_hidden(std::uint32_t point) {
  struct Range {
    std::uint32_t first;
    std::uint32_t last;
  };
  // Controls; an invisible hyphen; marks of direction; separators of lines; overrides and isolates
  // of direction; the byte order mark; annotations; tags.
  constexpr Range kHidden[] = {{0x00, 0x1F},     {0x7F, 0x9F},     {0xAD, 0xAD},
                               {0x61C, 0x61C},   {0x180E, 0x180E}, {0x200B, 0x200B},
                               {0x200E, 0x200F}, {0x2028, 0x202E}, {0x2060, 0x206F},
                               {0xFEFF, 0xFEFF}, {0xFFF9, 0xFFFB}, {0xE0000, 0xE007F}};
  return std::ranges::any_of(
      kHidden, [&](Range range) { return range.first <= point && point <= range.last; });
}

std::string escaped(std::uint32_t point) {
  if (point == '\n') return "\\n";
  if (point == '\r') return "\\r";
  if (point == '\t') return "\\t";
  return point < 0x100 ? fmt::format("\\x{:02x}", point) : fmt::format("\\u{:04x}", point);
}

}  // namespace

bool is_utf8(std::string_view text) { return utf8_prefix(text) == text.size(); }

std::size_t utf8_prefix(std::string_view text) {
  std::size_t at = 0;
  while (true) {
    at += ascii_prefix(text.substr(at));
    if (at == text.size()) return at;
    const std::size_t bytes = first_character(text.substr(at)).bytes;
    if (bytes == 0) return at;
    at += bytes;
  }
}

bool is_cut_off_utf8(std::string_view bytes) {
  if (bytes.empty() || bytes.size() > 3) return false;
  const auto lead = static_cast<unsigned char>(bytes.front());
  const std::size_t more = lead >= 0xF0 ? 3 : lead >= 0xE0 ? 2 : 1;
  const auto follows = [](char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; };
  return lead >= 0xC2 && lead <= 0xF4 && bytes.size() <= more &&
         std::ranges::all_of(bytes.substr(1), follows);
}

void append_utf8(std::uint32_t point, std::string& text) {
  const auto add = [&](std::uint32_t byte) { text += static_cast<char>(byte); };
  const auto follow = [&](int shift) { add(0x80U | (point >> shift & 0x3FU)); };
  if (point < 0x80) {
    add(point);
  } else if (point < 0x800) {
    add(0xC0U | point >> 6);
    follow(0);
  } else if (point < 0x10000) {
    add(0xE0U | point >> 12);
    follow(6);
    follow(0);
  } else {
    add(0xF0U | point >> 18);
    follow(12);
    follow(6);
    follow(0);
  }
}

std::string_view wide_encoding(std::string_view text) {
  using namespace std::string_view_literals;
  constexpr std::size_t kSample = 256;
  if (text.starts_with("\xFF\xFE\0\0"sv)) return "UTF-32LE";
  if (text.starts_with("\0\0\xFE\xFF"sv)) return "UTF-32BE";
  if (text.starts_with("\xFF\xFE")) return "UTF-16LE";
  if (text.starts_with("\xFE\xFF")) return "UTF-16BE";
  std::size_t zeros[2] = {};  // in even and in odd places
  const std::size_t pairs = std::min(text.size(), kSample) / 2;
  for (std::size_t i = 0; i < 2 * pairs; ++i) zeros[i % 2] += text[i] == '\0' ? 1 : 0;
  if (pairs > 1 && zeros[0] == 0 && 2 * zeros[1] >= pairs) return "UTF-16LE";
  if (pairs > 1 && zeros[1] == 0 && 2 * zeros[0] >= pairs) return "UTF-16BE";
  return "";
}

std::string printable(std::string_view text, std::size_t most) {
  std::string shown;
  for (std::size_t count = 0; !text.empty(); ++count) {
    if (count == most) return shown + "...";
    const auto [bytes, point] = first_character(text);
    if (bytes == 0)
      shown += escaped(static_cast<unsigned char>(text.front()));
    else if (is_hidden(point))
      shown += escaped(point);
    else
      shown += text.substr(0, bytes);
    text.remove_prefix(std::max<std::size_t>(bytes, 1));
  }
  return shown;
}

std::string printable_lines(std::string_view text) {
  std::string shown;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    shown += printable(text.substr(0, end), kAllCharacters);
    if (end < text.size()) shown += '\n';
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return shown;
}

std::string list_some(std::span<const std::string> names) {
  constexpr std::size_t kShown = 8;
  std::vector<std::string> shown;
  for (const std::string& name : names.first(std::min(names.size(), kShown)))
    shown.push_back(printable(name));
  return fmt::format("{}{}", fmt::join(shown, ", "), names.size() > kShown ? ", ..." : "");
}

}  // namespace uaspl
