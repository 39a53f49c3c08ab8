// Escapes text for LaTeX, see latex_parts.hpp.
#include <fmt/format.h>

#include <algorithm>

#include "uaspl/report/latex_parts.hpp"

namespace uaspl {
namespace {

constexpr char32_t kBroken = 0xFFFFFFFF;    // bytes that are not UTF-8
constexpr char32_t kEllipsis = 0xFFFFFFFE;  // where text was left out

// Removes the next character from the text and returns it.
char32_t take(std::string_view& text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  const std::size_t length = first < 0x80   ? 1
                             : first < 0xC2 ? 0
                             : first < 0xE0 ? 2
                             : first < 0xF0 ? 3
                             : first < 0xF5 ? 4
                                            : 0;
  char32_t code = length < 2 ? first : first & (0x7FU >> length);
  bool whole = length > 0 && length <= text.size();
  for (std::size_t i = 1; whole && i < length; ++i) {
    whole = (byte(i) & 0xC0U) == 0x80U;
    code = code << 6U | (byte(i) & 0x3FU);
  }
  const bool too_long = (length == 3 && code < 0x800) || (length == 4 && code < 0x10000);
  if (!whole || too_long || code > 0x10FFFF || (code >= 0xD800 && code < 0xE000)) {
    text.remove_prefix(1);
    return kBroken;
  }
  text.remove_prefix(length);
  return code;
}

// Decodes a text. A long one loses its middle, because names often differ at their ends.
std::vector<char32_t> decode(std::string_view text, std::size_t most) {
  std::vector<char32_t> codes;
  while (!text.empty()) codes.push_back(take(text));
  if (codes.size() > most) {
    const std::size_t head = most * 3 / 5;
    const std::size_t tail = most - head - 1;
    codes.erase(codes.begin() + static_cast<std::ptrdiff_t>(head),
                codes.end() - static_cast<std::ptrdiff_t>(tail));
    codes.insert(codes.begin() + static_cast<std::ptrdiff_t>(head), kEllipsis);
  }
  return codes;
}

// Says whether it is one of the Latin letters that LaTeX makes from the Computer Modern fonts: up
// to Latin Extended-A without those with an ogonek or a stroke.
bool has_glyph(char32_t code) {
  constexpr char32_t kMissing[] = {0xD0,  0xD7,  0xDE,  0xF0,  0xF7,  0xFE,  0x104, 0x105, 0x110,
                                   0x111, 0x118, 0x119, 0x126, 0x127, 0x12E, 0x12F, 0x138, 0x13F,
                                   0x140, 0x149, 0x14A, 0x14B, 0x166, 0x167, 0x172, 0x173, 0x17F};
  return code >= 0xC0 && code < 0x180 && std::ranges::find(kMissing, code) == std::end(kMissing);
}

// Puts braces around characters that would join their neighbour (--, ``), end an argument or be
// taken as an argument of "\\" ([, *).
std::string ascii(char c) {
  switch (c) {
    case '\\': return "\\textbackslash{}";
    case '^': return "\\textasciicircum{}";
    case '~': return "\\textasciitilde{}";
    case '<': return "\\textless{}";
    case '>': return "\\textgreater{}";
    case '|': return "\\textbar{}";
    case '"': return "{''}";
    case '\t':
    case '\n':
    case '\r': return " ";
    case '$': return "$\\mathdollar$";  // \$ uses a font that may have to be built first
    case '%':
    case '#':
    case '&':
    case '_':
    case '{':
    case '}': return {'\\', c};
    case '`':
    case '\'':
    case '[':
    case ']':
    case '*': return {'{', c, '}'};
    default: return c < ' ' || c == 0x7F ? "?" : std::string(1, c);
  }
}

std::string one(char32_t code) {
  if (code == kEllipsis) return "\\ldots{}";
  if (code == kBroken) return "?";
  if (code < 0x80) return ascii(static_cast<char>(code));
  if (has_glyph(code))
    return {static_cast<char>(0xC0U | code >> 6U), static_cast<char>(0x80U | (code & 0x3FU))};
  return fmt::format("U+{:04X}", static_cast<std::uint32_t>(code));
}

}  // namespace

std::string latex_text(std::string_view text, std::size_t most) {
  std::string safe;
  char32_t before = 0;
  for (const char32_t code : decode(text, most)) {
    safe += code == '-' && before == '-' ? "{-}" : one(code);  // "--" would be one dash
    before = code;
  }
  return safe;
}

std::size_t latex_length(std::string_view text, std::size_t most) {
  std::size_t length = 0;
  for (const char32_t code : decode(text, most))
    length += code < 0x80 || code >= kEllipsis || has_glyph(code) ? 1 : 8;  // capitals are wide
  return length;
}

std::string latex_variant(std::string_view variant) {
  return variant.empty() ? "the usual protocol" : latex_text(variant, 120);
}

std::string latex_runs(const ResultsTable& table) {
  std::size_t fewest = 0;
  std::size_t most = 0;
  for (std::size_t d = 0; d < table.datasets.size(); ++d)
    for (std::size_t m = 0; m < table.methods.size(); ++m)
      if (const std::size_t count = table.runs(d, m).size(); count > 0) {
        fewest = fewest == 0 ? count : std::min(fewest, count);
        most = std::max(most, count);
      }
  const char* noun = most == 1 ? "run" : "runs";
  return fewest == most ? fmt::format("{} {}", most, noun)
                        : fmt::format("{} to {} {}", fewest, most, noun);
}

std::string latex_fitted(const std::string& body) {
  return "\\resizebox{\\ifdim\\width>\\linewidth\\linewidth\\else\\width\\fi}{!}{%\n" + body + "}";
}

}  // namespace uaspl
