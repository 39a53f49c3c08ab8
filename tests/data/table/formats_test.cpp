// One table in every format is one data set; which format a file has is seen by its content; packed
// files, and what they may not do.
#include <zlib.h>

#include "tests/data/table/records.hpp"
#include "tests/support.hpp"
#include "uaspl/base/clock.hpp"
#include "uaspl/data/table/load.hpp"

namespace uaspl {
namespace {

using testing::fault_of;
using testing::records_of;
using testing::Strings;

std::string packed(std::string_view text) {
  z_stream z{};
  deflateInit2(&z, 6, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY);
  std::string bytes(deflateBound(&z, text.size()) + 64, '\0');
  z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  z.avail_in = static_cast<uInt>(text.size());
  z.next_out = reinterpret_cast<Bytef*>(bytes.data());
  z.avail_out = static_cast<uInt>(bytes.size());
  EXPECT_EQ(deflate(&z, Z_FINISH), Z_STREAM_END);
  bytes.erase(z.total_out);
  deflateEnd(&z);
  return bytes;
}

std::string wide(std::string_view text, bool big_endian) {
  std::string bytes = big_endian ? "\xFE\xFF" : "\xFF\xFE";
  for (std::size_t at = 0; at < text.size(); ++at) {
    auto point = static_cast<unsigned char>(text[at]);
    unsigned unit = point;
    if (point >= 0x80)
      unit = (point & 0x1FU) << 6 | (static_cast<unsigned char>(text[++at]) & 0x3FU);
    const char high = static_cast<char>(unit >> 8), low = static_cast<char>(unit & 0xFF);
    bytes += big_endian ? std::string{high, low} : std::string{low, high};
  }
  return bytes;
}

std::string latin(std::string_view text) {
  std::string bytes;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const auto lead = static_cast<unsigned char>(text[at]);
    bytes += lead < 0x80 ? text[at] : static_cast<char>((lead & 0x1FU) << 6 | (text[++at] & 0x3F));
  }
  return bytes;
}

// A random table: the class, numbers of which many are zero, and texts that every format must
// quote.
struct Drawn {
  Strings names;
  std::vector<Strings> rows;
  std::size_t texts = 0;  // the last columns
};

const Strings kTexts = {"a,b",         "it's",      "50%",  "{x}", "\u00fcber \"q\"",
                        "back\\slash", "tab\there", "plain"};

Drawn draw(std::uint64_t seed) {
  Stream stream(seed, "formats");
  Drawn table;
  const std::size_t numbers = 1 + stream.below(6);
  table.texts = stream.below(3);
  table.names = {"label"};
  for (std::size_t i = 1; i <= numbers; ++i) table.names.push_back("f" + std::to_string(i));
  for (std::size_t i = 0; i < table.texts; ++i) table.names.push_back("text " + std::to_string(i));
  for (std::size_t i = 5 + stream.below(40); i > 0; --i) {
    Strings row{std::to_string(stream.below(3))};
    for (std::size_t k = 0; k < numbers; ++k)
      row.push_back(stream.below(2) == 0 ? "0"
                                         : std::to_string(stream.below(1000)) + "." +
                                               std::to_string(stream.below(100)));
    for (std::size_t k = 0; k < table.texts; ++k)
      row.push_back(kTexts[stream.below(kTexts.size())]);
    table.rows.push_back(row);
  }
  // libsvm knows only columns that some row has.
  for (std::size_t k = 1; k <= numbers; ++k) table.rows[0][k] = "1.5";
  return table;
}

std::string quoted(const std::string& text, char quote, bool by_backslash) {
  std::string out(1, quote);
  for (const char c : text) {
    if (by_backslash && c == '\t') {
      out += "\\t";
      continue;
    }
    if (c == quote || (by_backslash && c == '\\')) out += by_backslash ? '\\' : quote;
    out += c;
  }
  return out + quote;
}

std::string csv_of(const Drawn& table, char delimiter) {
  std::string text;
  const auto add = [&](const Strings& row) {
    for (std::size_t i = 0; i < row.size(); ++i)
      text += (i > 0 ? std::string(1, delimiter) : "") + quoted(row[i], '"', false);
    text += "\n";
  };
  add(table.names);
  for (const Strings& row : table.rows) add(row);
  return text;
}

std::string arff_of(const Drawn& table, bool sparse) {
  std::string text = "@relation t\n@attribute label {0,1,2}\n";
  const std::size_t numbers = table.names.size() - 1 - table.texts;
  for (std::size_t i = 1; i < table.names.size(); ++i)
    text += "@attribute '" + table.names[i] + "' " + (i <= numbers ? "numeric" : "string") + "\n";
  text += "@data\n";
  for (const Strings& row : table.rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (sparse && row[i] == "0") continue;
      if (!line.empty()) line += ",";
      if (sparse) line += std::to_string(i) + " ";
      line += i > numbers ? quoted(row[i], '\'', true) : row[i];
    }
    text += sparse ? "{" + line + "}\n" : line + "\n";
  }
  return text;
}

std::string json_of(const Drawn& table, Stream& stream) {
  std::string text;
  const std::size_t numbers = table.names.size() - 1 - table.texts;
  for (const Strings& row : table.rows) {
    std::vector<std::string> members;
    for (std::size_t i = 0; i < row.size(); ++i)
      members.push_back(quoted(table.names[i], '"', true) + ":" +
                        (i > numbers ? quoted(row[i], '"', true) : row[i]));
    // The first object gives the order of the columns.
    if (!text.empty())
      for (std::size_t i = members.size(); i > 1; --i)
        std::swap(members[i - 1], members[stream.below(i)]);
    text += "{";
    for (std::size_t i = 0; i < members.size(); ++i) text += (i > 0 ? "," : "") + members[i];
    text += "}\n";
  }
  return text;
}

std::string libsvm_of(const Drawn& table) {
  std::string text;
  for (const Strings& row : table.rows) {
    text += row[0];
    for (std::size_t i = 1; i < row.size(); ++i)
      if (row[i] != "0") text += " " + std::to_string(i) + ":" + row[i];
    text += "\n";
  }
  return text;
}

void expect_same(const std::string& bytes, const Dataset& expected, const char* what) {
  const Dataset data = parse_dataset(bytes, "x", {.target = "label"});
  EXPECT_EQ(data.labels, expected.labels) << what;
  EXPECT_EQ(data.target.classes, expected.target.classes) << what;
  EXPECT_TRUE(std::ranges::equal(data.table().schema.features, expected.table().schema.features,
                                 reads_like))
      << what;
  EXPECT_TRUE(
      std::ranges::equal(data.table().features.values(), expected.table().features.values()))
      << what;
}

TEST(Formats, ATableIsTheSameInEachOfThem) {
  Stream stream(3, "formats");
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const Drawn table = draw(seed);
    const std::string csv = csv_of(table, ',');
    const Dataset expected = parse_dataset(csv, "x", {.target = "label"});
    ASSERT_EQ(expected.rows(), table.rows.size());
    const std::string json = json_of(table, stream);
    for (const auto& [text, what] : {std::pair(csv, "CSV"),
                                     {csv_of(table, '\t'), "TSV"},
                                     {json, "JSON"},
                                     {arff_of(table, false), "ARFF"},
                                     {arff_of(table, true), "sparse"}}) {
      expect_same(text, expected, what);
      expect_same(packed(text), expected, what);
      expect_same(wide(text, true), expected, what);
      expect_same(packed(wide(text, false)), expected, what);
      expect_same(latin(text), expected, what);
    }
    if (table.texts == 0) expect_same(libsvm_of(table), expected, "libsvm");
  }
}

TEST(Formats, AreSeenByTheirContent) {
  const auto columns = [](const std::string& text) { return records_of(text)[0]; };
  EXPECT_EQ(columns("@relation,b\n1,2\n"), (Strings{"@relation", "b"}));
  EXPECT_EQ(columns("%a,b\n1,2\n"), (Strings{"%a", "b"}));
  EXPECT_EQ(columns("#a,b\n1,2\n"), (Strings{"#a", "b"}));
  EXPECT_EQ(columns("{a},b\n1,2\n"), (Strings{"{a}", "b"}));
  EXPECT_EQ(columns("1\n2\n3\n"), (Strings{"1"}));
  EXPECT_EQ(columns("1 2:3\n2 1:4\n"), (Strings{"label", "f1", "f2"}));
  EXPECT_EQ(columns("a b\n1 2:3\n"), (Strings{"a b"}));
  EXPECT_EQ(records_of("1 2:3,b\n2,3\n")[0], (Strings{"1 2:3", "b"}));
  EXPECT_EQ(records_of("{\"a\":1}\n", {.delimiter = ','})[0], (Strings{"{\"a\":1}"}));
}

TEST(Formats, PackedFilesGoOnAndEndAsForGzip) {
  const std::vector<Strings> expected{{"y", "a"}, {"1", "2"}, {"3", "4"}};
  EXPECT_EQ(records_of(packed("y,a\n1,2\n") + packed("3,4\n")), expected);
  EXPECT_EQ(records_of(packed("y,a\n1,2\n3,4\n") + std::string(600, '\0')), expected);
  const std::string whole = packed("y,a\n1,2\n3,4\n");
  EXPECT_EQ(fault_of(whole + "x"), "x: other bytes follow the packed data");
  EXPECT_EQ(fault_of(packed(whole)), "x: this is packed by gzip twice; unpack it once");
  for (std::size_t cut = 2; cut < whole.size(); ++cut)
    EXPECT_EQ(fault_of(whole.substr(0, cut)), "x: the packed data end too early") << cut;
  std::string wrong = whole;
  wrong[wrong.size() - 8] = static_cast<char>(wrong[wrong.size() - 8] ^ 1);
  EXPECT_TRUE(fault_of(wrong).starts_with("x: the packed data are damaged (incorrect data check"));
  EXPECT_EQ(fault_of(packed("")), "x: the file is empty, expected a header line");
}

// A record without an end: a few hundred kilobytes that say they are a gigabyte.
TEST(Formats, APackedRecordWithoutAnEndIsRefused) {
  std::string bomb = packed("y,a\n1,");
  const std::string more = packed(std::string(1 << 20, 'x'));
  for (int i = 0; i < 1000; ++i) bomb += more;
  const auto start = Clock::now();
  EXPECT_EQ(fault_of(bomb), "x: a record of more than 16 MB, which packed files may not have");
  EXPECT_LT(seconds_since(start), 60.0);
}

TEST(Formats, AHeaderOfTooManyColumnsIsRefused) {
  EXPECT_EQ(fault_of(std::string(1 << 20, ',') + "\n"),
            "x:1: 1048577 columns, expected at most 1048576");
}

}  // namespace
}  // namespace uaspl
