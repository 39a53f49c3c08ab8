// Small helpers for text, see text.hpp.
#include "uaspl/base/text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>

namespace uaspl {

bool is_utf8(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const auto lead = static_cast<unsigned char>(text[i++]);
    if (lead < 0x80) continue;
    const int more = lead >= 0xF0 ? 3 : lead >= 0xE0 ? 2 : 1;
    if (lead < 0xC2 || lead > 0xF4) return false;
    std::uint32_t point = lead & (0x3FU >> more);
    for (int k = 0; k < more; ++k, ++i) {
      if (i == text.size() || (static_cast<unsigned char>(text[i]) & 0xC0) != 0x80) return false;
      point = point << 6 | (static_cast<unsigned char>(text[i]) & 0x3FU);
    }
    const bool overlong = (more == 2 && point < 0x800) || (more == 3 && point < 0x10000);
    if (overlong || point > 0x10FFFF || (point >= 0xD800 && point < 0xE000)) return false;
  }
  return true;
}

std::string list_some(std::span<const std::string> names) {
  constexpr std::size_t kShown = 8;
  const auto shown = names.first(std::min(names.size(), kShown));
  return fmt::format("{}{}", fmt::join(shown.begin(), shown.end(), ", "),
                     names.size() > kShown ? ", ..." : "");
}

}  // namespace uaspl
