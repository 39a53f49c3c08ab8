// Small helpers for text: validity, and names in messages.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace uaspl {

bool is_utf8(std::string_view text);

// Returns how many bytes from the first on are whole characters of UTF-8.
std::size_t utf8_prefix(std::string_view text);

// Says whether the bytes may be the beginning of one character that is cut off.
bool is_cut_off_utf8(std::string_view bytes);

// Writes a character (not a surrogate) in UTF-8.
void append_utf8(std::uint32_t point, std::string& text);

// Returns the name of the encoding if a text begins as one of two or four bytes a character, which
// no reader of bytes can read; otherwise nothing. Without a byte order mark, Latin letters have a
// zero in every other byte.
std::string_view wide_encoding(std::string_view text);

// So many characters of a name or a cell are shown in a message.
constexpr std::size_t kShownCharacters = 60;
constexpr std::size_t kAllCharacters = static_cast<std::size_t>(-1);

// Returns text of unknown origin so that a terminal shows it and does nothing else: control
// characters, those that change the direction of writing, and bytes that are not UTF-8 are written
// as \n, \x1b, \u202e. What is longer than `most` characters ends in `...`.
std::string printable(std::string_view text, std::size_t most = kShownCharacters);

// Does the same for a text of several lines, of any length: only the ends of lines stay.
std::string printable_lines(std::string_view text);

// Joins the first few names by commas, printable, and adds `...` if there are more.
std::string list_some(std::span<const std::string> names);

}  // namespace uaspl
