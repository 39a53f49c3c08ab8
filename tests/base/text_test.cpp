// Text of unknown origin: whether it is UTF-8, and how messages show it.
#include "uaspl/base/text.hpp"

#include <gtest/gtest.h>

namespace uaspl {
namespace {

TEST(Text, Utf8) {
  for (const char* good : {"", "abc", "\xC3\xA4", "\xE2\x82\xAC", "\xF0\x9F\x98\x80"})
    EXPECT_TRUE(is_utf8(good));
  for (const char* bad :
       {"\x80", "\xC3", "\xC0\xAF", "\xE0\x80\x80", "\xED\xA0\x80", "\xF5\x80\x80\x80"})
    EXPECT_FALSE(is_utf8(bad)) << bad;
}

TEST(Text, EncodingsOfSeveralBytes) {
  using namespace std::string_view_literals;
  EXPECT_EQ(wide_encoding("\xFF\xFE"
                          "a\0"sv),
            "UTF-16LE");
  EXPECT_EQ(wide_encoding("\xFE\xFF\0a"sv), "UTF-16BE");
  EXPECT_EQ(wide_encoding("\xFF\xFE\0\0"sv), "UTF-32LE");
  EXPECT_EQ(wide_encoding("\0\0\xFE\xFF"sv), "UTF-32BE");
  EXPECT_EQ(wide_encoding("a\0,\0"sv), "UTF-16LE");
  EXPECT_EQ(wide_encoding("\0a\0,"sv), "UTF-16BE");
  for (const std::string_view text :
       {""sv, "a"sv, "a,b\n"sv, "\xEF\xBB\xBFz"sv, "abc\0def"sv, "\0\0\0\0"sv})
    EXPECT_EQ(wide_encoding(text), "") << text;
}

TEST(Text, LettersOfAnyLanguageAreShown) {
  for (const char* text : {"", "a b",
                           "Gr\xC3\xB6\xC3\x9F"
                           "e",
                           "\xE2\x82\xAC", "\xE4\xB8\xAD", "\xD7\xA9\xD7\x9C\xD7\x95\xD7\x9D",
                           "\xF0\x9F\x98\x80", "C:\\x"})
    EXPECT_EQ(printable(text), text);
}

TEST(Text, NothingIsDoneToATerminal) {
  EXPECT_EQ(printable("\x1b[31mred\x1b[0m\a"), "\\x1b[31mred\\x1b[0m\\x07");
  EXPECT_EQ(printable(std::string("a\nb\r\tc\0d\x7f", 9)), "a\\nb\\r\\tc\\x00d\\x7f");
  EXPECT_EQ(printable("\xC2\x9B"
                      "31m"),
            "\\x9b31m");  // ESC [ in one character
  EXPECT_EQ(printable("a\xE2\x80\xAE"
                      "txt"),
            "a\\u202etxt");  // writes from right to left
  EXPECT_EQ(printable("\xE2\x81\xA6\xE2\x80\xA8\xEF\xBB\xBF"), "\\u2066\\u2028\\ufeff");
  EXPECT_EQ(printable("\xF3\xA0\x81\x81"), "\\ue0041");
}

TEST(Text, BytesThatAreNoTextAreShownAsBytes) {
  EXPECT_EQ(printable("f\xFCr"), "f\\xfcr");
  EXPECT_EQ(printable("\xC3"), "\\xc3");
  EXPECT_EQ(printable("\xED\xA0\x80"), "\\xed\\xa0\\x80");
}

TEST(Text, LongTextIsCutBetweenCharacters) {
  const std::string sixty(60, 'x');
  EXPECT_EQ(printable(sixty), sixty);
  EXPECT_EQ(printable(std::string(1'000'000, 'x')), sixty + "...");
  EXPECT_EQ(printable("\xC3\xA4\xC3\xA4\xC3\xA4", 2), "\xC3\xA4\xC3\xA4...");
  const std::string line_ends(100, '\n');
  EXPECT_EQ(printable(line_ends, kAllCharacters).size(), 200U);
}

TEST(Text, LinesStay) {
  EXPECT_EQ(printable_lines("a\x1b\n\nb\tc\n"), "a\\x1b\n\nb\\tc\n");
  EXPECT_EQ(printable_lines("\na"), "\na");
  EXPECT_EQ(printable_lines(""), "");
}

TEST(Text, ListsShowTheFirstNames) {
  EXPECT_EQ(list_some(std::vector<std::string>{"a", "b\n"}), "a, b\\n");
  EXPECT_EQ(list_some(std::vector<std::string>(9, "a")), "a, a, a, a, a, a, a, a, ...");
}

}  // namespace
}  // namespace uaspl
