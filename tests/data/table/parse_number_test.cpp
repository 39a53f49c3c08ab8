// Numbers in cells: the fast way must agree with the careful one on every text.
#include "uaspl/data/table/parse_number.hpp"

#include <cmath>
#include <cstdlib>
#include <string>

#include "tests/support.hpp"
#include "uaspl/base/rng.hpp"

namespace uaspl {
namespace {

// Both ways, inside a longer text as in a file; "none" where it is no number.
std::string both(const std::string& cell) {
  const auto show = [](bool is_number, double value) {
    if (!is_number) return std::string("none");
    return (std::signbit(value) ? "-" : "+") + std::to_string(std::bit_cast<std::uint64_t>(value));
  };
  double careful = 0.0;
  const bool is_number = parse_number(cell, careful);
  for (const char* rest :
       {",1.5,2.5,3.5,4.5,5.5", "\n0000000000000000", "9999999999999999", "................"}) {
    const std::string text = cell + rest;
    double fast = 0.0;
    if (!parse_short_number(std::string_view(text).substr(0, cell.size()), fast)) continue;
    EXPECT_EQ(show(true, fast), show(is_number, careful)) << cell << rest;
  }
  return show(is_number, careful);
}

TEST(Number, WhatIsOne) {
  for (const char* text : {"0",
                           "7",
                           "-7",
                           "12345678",
                           "123456789",
                           "-12345678",
                           "1.",
                           ".5",
                           "-.5",
                           "0.1",
                           "-0",
                           "-0.0",
                           "+3",
                           "1e5",
                           "1E-5",
                           "0.0000001",
                           "9007199254740993",
                           "1.7976931348623157e308",
                           "3.14159265358979312",
                           "00000001",
                           "inf",
                           "-inf"})
    EXPECT_NE(both(text), "none") << text;
  for (const char* text :
       {"",  "-",  ".",    "-.", "1.2.3", "..",       "--1",   "+-1", "1-",   "1 2",
        "a", "1a", "0x10", "1e", "1,5",   "\xc3\xa9", "12:30", "1/2", "1.5.", ".-5"})
    EXPECT_EQ(both(text), "none") << text;
}

TEST(Number, AsTheSystemReadsThem) {
  Stream stream(1, "numbers");
  for (int i = 0; i < 200000; ++i) {
    std::string text = stream.below(2) == 0 ? "-" : "";
    const std::size_t digits = 1 + stream.below(19);
    const std::size_t point = stream.below(digits + 4);
    for (std::size_t d = 0; d < digits; ++d) {
      if (d == point) text += '.';
      text += static_cast<char>('0' + stream.below(10));
    }
    double value = 0.0;
    const std::string padded = text + ",0123456789.12345";
    const bool is_short = text.size() - (text[0] == '-' ? 1 : 0) <= 8;
    ASSERT_EQ(parse_short_number(std::string_view(padded).substr(0, text.size()), value), is_short)
        << text;
    ASSERT_TRUE(is_short || parse_number(text, value)) << text;
    ASSERT_EQ(std::bit_cast<std::uint64_t>(value),
              std::bit_cast<std::uint64_t>(std::strtod(text.c_str(), nullptr)))
        << text;
    ASSERT_TRUE(parse_number(text, value));
    ASSERT_EQ(value, std::strtod(text.c_str(), nullptr)) << text;
  }
}

TEST(Number, AnyBytesGiveTheSameBothWays) {
  Stream stream(2, "numbers");
  constexpr std::string_view kBytes = "0123456789..--+eE ,\"xn\x80\xff";
  for (int i = 0; i < 200000; ++i) {
    std::string text;
    for (std::size_t length = stream.below(12); length > 0; --length)
      text += kBytes[stream.below(kBytes.size())];
    both(text);
  }
}

// Beyond what a double holds, or only seemingly so: the point and the exponent may lie anywhere.
TEST(Number, VeryLargeAndVerySmall) {
  const std::string zeros(400, '0');
  std::vector<std::string> texts = {"1e-400",
                                    "6e000000009223372036854775807",
                                    "0.06e9223372036854775807",
                                    "1e400",
                                    "1e-320",
                                    "4.9e-324",
                                    "2e-324",
                                    "1.8e308",
                                    "1.7e308",
                                    "0e999999",
                                    "0e-9999999999999999999999",
                                    "0.0e99999999999999999999",
                                    "1e99999999999999999999",
                                    "1e-99999999999999999999",
                                    "1E+400",
                                    "1E-400",
                                    "1" + zeros,
                                    "0." + zeros + "1",
                                    "0." + zeros + "1e+500",
                                    "1" + zeros + "e-400",
                                    "0." + zeros + "1e401",
                                    "1" + zeros + "e-800",
                                    "." + zeros + "1e5",
                                    "1" + zeros + ".0",
                                    zeros + "1",
                                    zeros + "1e-400",
                                    "0." + zeros + "e5",
                                    "1" + zeros + "e-99",
                                    zeros + ".0e" + zeros + "9",
                                    "12e-" + zeros + "400"};
  Stream stream(1, "exponents");
  for (int i = 0; i < 20000; ++i) {
    std::string text;
    for (const std::size_t most : {400U, 4U}) {
      text.append(stream.below(3) == 0 ? stream.below(most) : 0, '0');
      for (std::size_t d = stream.below(5); d > 0; --d)
        text += static_cast<char>('0' + stream.below(10));
      text.append(stream.below(3) == 0 ? stream.below(400) : 0, '0');
      if (most == 400U) text += stream.below(2) == 0 ? "." : "";
    }
    if (text.find_first_of("0123456789") == std::string::npos) text += '1';
    const int exponent = static_cast<int>(stream.below(1600)) - 800;
    texts.push_back(text + (stream.below(3) == 0 ? "E+" + std::to_string(std::abs(exponent))
                                                 : "e" + std::to_string(exponent)));
  }
  for (const std::string& text : texts)
    for (const char* sign : {"", "-", "+"}) {
      const std::optional<double> value = parse_number(sign + text);
      ASSERT_TRUE(value) << text;
      ASSERT_EQ(std::bit_cast<std::uint64_t>(*value),
                std::bit_cast<std::uint64_t>(std::strtod((sign + text).c_str(), nullptr)))
          << sign << text;
    }
}

}  // namespace
}  // namespace uaspl
