// CSV files in other encodings, with other line ends, and with bytes that are no text.
#include <unistd.h>

#include <thread>

#include "tests/support.hpp"
#include "uaspl/base/clock.hpp"
#include "uaspl/base/error.hpp"
#include "uaspl/base/text.hpp"
#include "uaspl/data/table/csv.hpp"
#include "uaspl/data/table/load.hpp"
#include "uaspl/data/table/open_records.hpp"

namespace uaspl {
namespace {

using Strings = std::vector<std::string>;

std::vector<Strings> records(std::string_view text, const TableFormat& format = {}) {
  Input input(text, "x.csv");
  CsvReader reader(input, format);
  std::vector<Strings> all{reader.columns()};
  while (reader.next()) all.emplace_back(reader.cells().begin(), reader.cells().end());
  std::vector<Strings> again{reader.columns()};
  reader.rewind();
  while (reader.next()) again.emplace_back(reader.cells().begin(), reader.cells().end());
  EXPECT_EQ(all, again);
  return all;
}

// Whatever the bytes are, as files are opened.
std::vector<Strings> opened(std::string_view bytes, std::vector<std::string>* notes = nullptr) {
  Input input(bytes, "x.csv");
  const auto reader = open_records(input, {});
  std::vector<Strings> all{reader->columns()};
  while (reader->next()) all.emplace_back(reader->cells().begin(), reader->cells().end());
  if (notes) *notes = reader->notes();
  return all;
}

std::string error_of(std::string_view text) {
  try {
    opened(text);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

// Each character in two bytes.
std::string utf16(std::string_view text, bool big_endian) {
  std::string wide;
  for (const char c : text) wide += big_endian ? std::string{'\0', c} : std::string{c, '\0'};
  return wide;
}

TEST(Encoding, Utf16IsConverted) {
  const std::string text = "label,size\n1,2\n0,3\n";
  const auto expected = records(text);
  EXPECT_EQ(opened("\xFF\xFE" + utf16(text, false)), expected);
  EXPECT_EQ(opened("\xFE\xFF" + utf16(text, true)), expected);
  EXPECT_EQ(opened(utf16(text, false)), expected);
  EXPECT_EQ(opened(utf16(text, true)), expected);
  std::vector<std::string> notes;
  opened(utf16(text, true), &notes);
  EXPECT_EQ(notes, (Strings{"x.csv: the text is UTF-16 (big endian)"}));
  EXPECT_EQ(error_of("\xFF\xFE"), "x.csv: the file is empty, expected a header line");
  EXPECT_TRUE(
      error_of(std::string("\xFF\xFE\0\0a\0\0\0", 8)).starts_with("x.csv: the text is UTF-32LE"));
}

TEST(Encoding, CharactersOfTwoUnits) {
  using namespace std::string_literals;
  EXPECT_EQ(opened("\xFF\xFE"s + "y\0,\0\x3D\xD8\0\xDE\n\0"s + "1\0,\0\xAC\x20\n\0"s),
            (std::vector<Strings>{{"y", "\U0001F600"}, {"1", "\u20ac"}}));
  EXPECT_EQ(error_of("\xFF\xFEy\0\n\0\x3D\xD8\n\0"s),
            "x.csv: byte 7 is half of a character of UTF-16; the file is damaged");
  EXPECT_EQ(error_of("\xFF\xFEy\0\n\0\0\xDE\n\0"s),
            "x.csv: byte 7 is half of a character of UTF-16; the file is damaged");
  EXPECT_EQ(error_of("\xFF\xFEy\0\n\0\x3D"s),
            "x.csv: byte 7 is half of a character of UTF-16; the file is cut off");
}

TEST(Encoding, WhatIsNotUtf8IsWindows1252) {
  std::vector<std::string> notes;
  EXPECT_EQ(opened("y,gr\xF6\xDF"
                   "e\n1,\x80 5\n",
                   &notes),
            (std::vector<Strings>{{"y", "gr\u00f6\u00dfe"}, {"1", "\u20ac 5"}}));
  EXPECT_EQ(notes, (Strings{"x.csv: 3 byte(s) are not UTF-8 and were read as Windows-1252, the "
                            "first in 'gr\u00f6\u00dfe'"}));
  // Of both kinds, as files that were joined are.
  EXPECT_EQ(opened("y,a\nK\xC3\xB6ln,1\nK\xF6ln,2\n"),
            (std::vector<Strings>{{"y", "a"}, {"K\u00f6ln", "1"}, {"K\u00f6ln", "2"}}));
  EXPECT_EQ(opened("y,a\n1,\xE2\x82"),
            (std::vector<Strings>{{"y", "a"}, {"1", "\u00e2\u201a"}}));  // cut off
  opened("y,a\n1,K\xC3\xB6ln\n", &notes);
  EXPECT_TRUE(notes.empty());
  EXPECT_EQ(
      error_of("y,a\n1,\x81\n"),
      "x.csv: byte 7 is text neither in UTF-8 nor in Windows-1252; convert the file to UTF-8");
}

// Every byte is somewhere the last one of a block.
TEST(Encoding, AFileReadsAsTextInMemory) {
  testing::TemporaryFolder folder;
  for (const char* cell : {"K\u00f6ln \U0001F600", "K\xF6ln", "\xE2\x82x\xF6\xF0\x9F\x98"}) {
    std::string text = "y,a\n";
    for (int i = 0; text.size() < (1 << 19); ++i) text += std::string(i % 7, 'x') + cell + ",1\n";
    const std::filesystem::path path = folder.path() / "x.csv";
    std::ofstream(path) << text;
    Input input(path);
    const auto reader = open_records(input, {});
    const auto expected = opened(text);
    for (int pass = 0; pass < 2; ++pass, reader->rewind()) {
      std::vector<Strings> all{reader->columns()};
      while (reader->next()) all.emplace_back(reader->cells().begin(), reader->cells().end());
      EXPECT_TRUE(all == expected);
    }
    EXPECT_TRUE(is_utf8(expected.back().front()));
  }
}

TEST(Encoding, WhatIsNoTableIsNamed) {
  using namespace std::string_literals;
  for (const auto& [bytes, what] : {std::pair("PK\3\4\x14\0"s, "an Excel workbook"),
                                    {"\x89PNG\r\n\x1a\n"s, "a picture (PNG)"},
                                    {"\xFF\xD8\xFF\xE0"s, "a picture (JPEG)"},
                                    {"PAR1\x15\4"s, "a Parquet file"},
                                    {"%PDF-1.4\n"s, "a PDF document"},
                                    {"BZh91AY"s, "packed by bzip2"}})
    EXPECT_TRUE(error_of(bytes).starts_with("x.csv: this is "s + what)) << error_of(bytes);
}

TEST(Encoding, AZeroByteIsNoText) {
  using namespace std::string_literals;
  EXPECT_EQ(error_of("a,b\n1,2\n3,\0\n"s), "x.csv:3: a NUL byte, expected text");
  EXPECT_EQ(error_of("a,b\n1,2\n\0\0\0\0\0\0"s), "x.csv:3: a NUL byte, expected text");
  EXPECT_EQ(error_of("a\0,b\n1,2\n"s), "x.csv:1: a NUL byte, expected text");
}

// As a program writes it that is killed later on: found wherever it lies.
TEST(Encoding, AZeroByteFarBehindIsFound) {
  testing::TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / "x.csv";
  {
    std::ofstream file(path);
    file << "a,b\n";
    for (int i = 0; i < 100000; ++i) file << "1,\"x\ny\"\n";
    file << std::string(5, '\0');
  }
  Input input(path);
  CsvReader reader(input, {});
  try {
    while (reader.next()) continue;
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.what(), path.string() + ":200002: a NUL byte, expected text");
  }
}

TEST(Encoding, LineEndsOfOldMacs) {
  const std::vector<Strings> plain{{"a", "b"}, {"1", "x"}, {"2", "z"}};
  for (const char* text : {"a,b\r1,x\r\r2, z \r", "a,b\r\"1\",x\r2,\"z\"",
                           "\xEF\xBB\xBF"
                           "a;b\r1;x\r2;z\r"})
    EXPECT_EQ(records(text), plain) << text;
  EXPECT_EQ(records("\"a\rb\",c\r1,2\r"), (std::vector<Strings>{{"a\rb", "c"}, {"1", "2"}}));
  EXPECT_EQ(records("1,x\r2,z\r", {.header = false})[2], (Strings{"2", "z"}));
  EXPECT_EQ(error_of("a,b\r1,2\r3\r"), "x.csv:3: 1 fields, header has 2");
  EXPECT_EQ(parse_dataset("y,a\r0,1\r1,2\r0,u\r", "x").rows(), 3U);
}

TEST(Encoding, CarriageReturnsBeforeLineFeedsAreSpace) {
  const std::vector<Strings> expected{{"a", "b"}, {"1", "2"}};
  EXPECT_EQ(records("a,b\r\n1,2\r\n"), expected);
  EXPECT_EQ(records("a,b\r\r\n1,2\r\r\n"), expected);
  EXPECT_EQ(records("a,b\r\n1,2"), expected);
}

TEST(Encoding, TwoKindsOfLineEndsAreAnError) {
  EXPECT_EQ(error_of("a,b\r1,2\r3,4\n"),
            "x.csv:1: a carriage return within the line; some lines end with it, others with a "
            "line feed");
}

// The quote makes one record of all that follows. It is looked at again when more has arrived,
// and took a time that grew with the square of the length: minutes for this one, which takes half a
// second.
TEST(Encoding, AQuoteThatNeverClosesInAPipeTakesLinearTime) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  std::thread writer([&] {
    const std::string head = "a,b\n1,2\n3,\"";
    if (::write(ends[1], head.data(), head.size()) < 0) return;
    const std::string piece(1 << 16, 'x');
    for (int i = 0; i < 4000; ++i)
      if (::write(ends[1], piece.data(), piece.size()) < 0) return;
    ::close(ends[1]);
  });
  std::string message;
  {
    const auto start = Clock::now();
    const std::string name = "/dev/fd/" + std::to_string(ends[0]);
    Input input(name);
    CsvReader reader(input, {});
    try {
      while (reader.next()) continue;
    } catch (const Error& error) {
      message = error.what();
    }
    EXPECT_LT(seconds_since(start), 30.0);
    EXPECT_EQ(message, name + ":3: a quote opens here that is never closed");
  }
  writer.join();
  ::close(ends[0]);
}

// A name for each of them, all different: nothing here may compare each with each.
TEST(Encoding, ManyColumns) {
  std::string text = "y";
  for (int i = 0; i < 100000; ++i) text += ",column" + std::to_string(i);
  for (int row = 0; row < 3; ++row) {
    text += "\n" + std::to_string(row % 2);
    for (int i = 0; i < 100000; ++i) text += i % 50000 == 7 ? ",u" : ",1.5";
  }
  const Dataset data = parse_dataset(text, "x");
  EXPECT_EQ(data.table().features.cols(), 100000U);
  EXPECT_EQ(data.rows(), 3U);
}

}  // namespace
}  // namespace uaspl
