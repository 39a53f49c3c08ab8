// The CSV reader and what is made of its cells: kinds of columns, categories, classes, missing
// values.
#include "uaspl/data/table/csv.hpp"

#include <unistd.h>

#include <chrono>
#include <cmath>
#include <thread>

#include "tests/support.hpp"
#include "uaspl/base/rng.hpp"
#include "uaspl/data/table/load.hpp"
#include "uaspl/data/table/row_encoder.hpp"
#include "uaspl/io/sha256.hpp"

namespace uaspl {
namespace {

namespace fs = std::filesystem;
using Strings = std::vector<std::string>;

std::vector<Strings> records(std::string_view text, const TableFormat& format = {}) {
  Input input(text, "x.csv");
  CsvReader reader(input, format);
  std::vector<Strings> all{reader.columns()};
  while (reader.next()) all.emplace_back(reader.cells().begin(), reader.cells().end());
  return all;
}

template <typename Action>
std::string error_of(Action action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(Csv, ReadsQuotesNewlinesAndLineEnds) {
  const std::vector<Strings> expected{{"a", "b"}, {"1", "x,\"y\"\nz"}, {"", " q "}, {"2", ""}};
  EXPECT_EQ(records("\xEF\xBB\xBF"
                    "a,b\r\n1,\"x,\"\"y\"\"\nz\"\r\n\r\n , \" q \" \n2,"),
            expected);
}

TEST(Csv, FindsTheDelimiter) {
  const std::vector<Strings> expected{{"a", "b,c"}, {"1", "2"}};
  EXPECT_EQ(records("a;\"b,c\"\n1;2\n"), expected);
  EXPECT_EQ(records("a\t\"b,c\"\n1\t2\n"), expected);
  EXPECT_EQ(records("a|\"b,c\"\n1|2\n"), expected);
  EXPECT_EQ(records("a:\"b,c\"\n1:2\n", {.delimiter = ':'}), expected);
  EXPECT_EQ(records("a\tb\n\t2\n")[1], (Strings{"", "2"}));
}

TEST(Csv, NamesColumnsWithoutAName) {
  EXPECT_EQ(records("1,2\n3,4\n", {.header = false}),
            (std::vector<Strings>{{"c1", "c2"}, {"1", "2"}, {"3", "4"}}));
  EXPECT_EQ(records("y,,z\n1,2,3\n")[0], (Strings{"y", "c2", "z"}));
}

TEST(Csv, ErrorsSayWhere) {
  EXPECT_EQ(error_of([] { records(""); }), "x.csv: the file is empty, expected a header line");
  EXPECT_EQ(error_of([] { records("a,b\n1,2\n\n3\n"); }), "x.csv:4: 1 fields, header has 2");
  EXPECT_EQ(error_of([] { records("a,b\n1,\"2\n\n3\n"); }),
            "x.csv:2: a quote opens here that is never closed");
  EXPECT_EQ(error_of([] { records("a,b\n\"1\n\",\"2\n"); }),
            "x.csv:3: a quote opens here that is never closed");
  EXPECT_EQ(error_of([] { records("a,b\n\"1\"x,2\n"); }),
            "x.csv:2: text after a closing quote, expected ',' or the end of the line");
  EXPECT_EQ(error_of([] { records("a,b,a\n"); }), "x.csv:1: columns 1 and 3 are both called 'a'");
  EXPECT_EQ(error_of([] { records("a,b\n\"x\ny\",2\n1\n"); }), "x.csv:4: 1 fields, header has 2");
}

// The same text through a pipe that gives a few bytes at a time must read the same.
TEST(Csv, ReadsAPipeAsItReadsAFile) {
  std::string text = "a,b\r\n";
  for (int i = 0; i < 30000; ++i)
    text += std::to_string(i) + (i % 3 == 0 ? ",\"two\n\"\"lines\"\"\"\r\n" : ",x\r\n");
  text += "last,";
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  std::thread writer([&] {
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t piece = std::min<std::size_t>(1 + at % 4001, text.size() - at);
      ASSERT_EQ(::write(ends[1], text.data() + at, piece), static_cast<ssize_t>(piece));
      at += piece;
    }
    ::close(ends[1]);
  });
  std::vector<Strings> all;
  {
    Input input("/dev/fd/" + std::to_string(ends[0]));
    CsvReader reader(input, {});
    all.push_back(reader.columns());
    while (reader.next()) all.emplace_back(reader.cells().begin(), reader.cells().end());
    EXPECT_EQ(reader.line(), 40002U);
  }
  writer.join();
  ::close(ends[0]);
  EXPECT_EQ(all, records(text));
}

// The first record is read twice there; the byte order mark before it has gone by in a piece of its
// own.
TEST(Csv, APipeWithoutAHeaderKeepsItsFirstRecord) {
  for (const std::string before : {"\xEF\xBB\xBF", "\n\n"}) {
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    std::thread writer([&] {
      for (const std::string& piece :
           {before, std::string("first,"), std::string("1\nsecond,2\n")}) {
        ASSERT_EQ(::write(ends[1], piece.data(), piece.size()), static_cast<ssize_t>(piece.size()));
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
      }
      ::close(ends[1]);
    });
    Input input("/dev/fd/" + std::to_string(ends[0]));
    CsvReader reader(input, {.delimiter = ',', .header = false});
    ASSERT_TRUE(reader.next());
    EXPECT_EQ(reader.cells()[0], "first");
    EXPECT_EQ(reader.line(), before == "\n\n" ? 3U : 1U);
    ASSERT_TRUE(reader.next());
    EXPECT_EQ(reader.cells()[0], "second");
    writer.join();
    ::close(ends[0]);
  }
}

TEST(Csv, AHugeLineIsOnlyALine) {
  const std::string text = "a,b\n1," + std::string(20'000'000, 'x') + "\n";
  EXPECT_EQ(records(text)[1][1].size(), 20'000'000U);
}

// Quotes around every cell, or some, change nothing but the way the record is scanned.
TEST(Csv, RecordsWithoutQuotesReadAsRecordsWithThem) {
  Stream stream(1, "csv");
  for (int round = 0; round < 200; ++round) {
    const std::size_t columns = 1 + stream.below(12);
    std::string plain = "c1";
    for (std::size_t c = 2; c <= columns; ++c) plain += ",c" + std::to_string(c);
    std::string quoted = plain += "\n";
    std::string mixed = plain;
    for (std::size_t i = stream.below(40); i > 0; --i)
      for (std::size_t c = 1; c <= columns; ++c) {
        const std::string cell(stream.below(20) + (columns == 1 ? 1 : 0), 'a' + stream.below(26));
        const std::string_view end = c < columns ? "," : i % 3 == 0 ? "\r\n" : "\n";
        plain.append(stream.below(3), ' ').append(cell).append(end);
        quoted.append("\"").append(cell).append("\"").append(end);
        const char* const quote = stream.below(2 * columns) == 0 ? "\"" : "";
        mixed.append(quote).append(cell).append(quote).append(end);
      }
    ASSERT_EQ(records(plain), records(quoted)) << plain;
    ASSERT_EQ(records(plain), records(mixed)) << mixed;
  }
}

TEST(Load, NumbersCategoriesAndClasses) {
  const Dataset data = parse_dataset("size,colour,kind\n1.5,red,no\n2,blue,yes\n+3e0,red,no\n",
                                     "x.csv", {.target = "kind"});
  EXPECT_EQ(data.target.classes, (Strings{"no", "yes"}));
  EXPECT_EQ(data.labels, (std::vector<int>{0, 1, 0}));
  EXPECT_EQ(data.table().schema.features[1].levels, (Strings{"blue", "red"}));
  EXPECT_EQ(data.table().schema.input_names(), (Strings{"size", "colour=blue", "colour=red"}));
  ASSERT_EQ(data.table().features.cols(), 2U);
  EXPECT_EQ(data.table().features(0, 0), 1.5);
  EXPECT_EQ(data.table().features(0, 1), 1.0);
  EXPECT_EQ(data.table().features(1, 1), 0.0);
  EXPECT_EQ(data.table().features(2, 0), 3.0);
}

// A column turns out to be text only after rows were read as numbers.
TEST(Load, CategoriesThatBeginAsNumbers) {
  const Dataset data = parse_dataset("y,a,b\nv,10,1\nu,9,?\nu,9,2\nv,x,3\nw,?,y\n", "x.csv",
                                     {.missing = Missing::kMean, .as_published = true});
  EXPECT_EQ(data.table().schema.input_names(),
            (Strings{"a=10", "a=9", "a=x", "b=1", "b=2", "b=3", "b=y"}));
  EXPECT_EQ(data.target.classes, (Strings{"u", "v", "w"}));
  EXPECT_EQ(data.labels, (std::vector<int>{1, 0, 0, 1, 2}));
  EXPECT_EQ(data.table().features(0, 0), 0.0);
  EXPECT_EQ(data.table().features(3, 0), 2.0);
  EXPECT_EQ(data.table().features(3, 1), 2.0);
  EXPECT_TRUE(std::isnan(data.table().features(1, 1)));
}

TEST(Load, TargetByNameAndByPlace) {
  const std::string text = "a,b,2\n0,1,5\n1,2,6\n";
  const auto target = [&](const std::string& which) {
    return parse_dataset(text, "x.csv", {.target = which, .as_published = true}).target.name;
  };
  EXPECT_EQ(target(""), "a");
  EXPECT_EQ(target("b"), "b");
  EXPECT_EQ(target("2"), "2");  // a name wins over a place
  EXPECT_EQ(target("1"), "a");
  EXPECT_EQ(target("-1"), "2");
  EXPECT_EQ(error_of([&] { target("4"); }), "x.csv: target: no column 4, there are 3");
  EXPECT_EQ(error_of([&] { target("z"); }), "x.csv: target: no column 'z'; there are: a, b, 2");
}

TEST(Load, ClassesInNumericalOrderWhereTheyAreNumbers) {
  EXPECT_EQ(parse_dataset("y,a\n10,1\n9,2\n2.0,3\n2,4\n", "x").target.classes,
            (Strings{"2", "9", "10"}));
  EXPECT_EQ(parse_dataset("y,a\n10,1\n9,2\nx,3\n", "x").target.classes, (Strings{"10", "9", "x"}));
}

TEST(Load, MissingValues) {
  const std::string text = "y,a,b\n0,1,u\n1,?,v\n0,NA,u\n1,2,\n,1,u\n1,nan,w\n0,5,u\n";
  const Dataset dropped = parse_dataset(text, "x.csv", published_loading());
  EXPECT_EQ(dropped.rows(), 2U);
  EXPECT_EQ(dropped.dropped(), 5U);
  EXPECT_EQ(dropped.target.classes, (Strings{"0"}));
  EXPECT_EQ(dropped.table().schema.features[1].levels, (Strings{"u"}));
  const Dataset kept = parse_dataset(text, "x.csv", {.missing = Missing::kMean});
  EXPECT_EQ(kept.rows(), 6U);  // a row without a class is of no use
  EXPECT_TRUE(std::isnan(kept.table().features(1, 0)));
  EXPECT_TRUE(std::isnan(kept.table().features(3, 1)));
  EXPECT_EQ(error_of([&] { parse_dataset(text, "x.csv", {.missing = Missing::kError}); }),
            "x.csv:3: column 2 ('a'): a value is missing");
}

TEST(Load, ErrorsSayWhereWhatAndWhatWasExpected) {
  const auto error = [](const std::string& text, LoadOptions options = {}) {
    options.missing = Missing::kDrop;
    options.as_published = true;
    return error_of([&] { parse_dataset(text, "x.csv", options); });
  };
  EXPECT_EQ(error("y\n1\n"), "x.csv: 1 column(s), expected the class and at least one feature");
  EXPECT_EQ(error("y,a\n"), "x.csv: no complete row of data");
  EXPECT_EQ(error("y,a\n1,inf\n"), "x.csv:2: column 2 ('a'): 'inf' is not a finite number");
  EXPECT_EQ(error("y,a\n1,1\n1,-1e999\n"),
            "x.csv:3: column 2 ('a'): '-1e999' is not a finite number");
  EXPECT_EQ(error("y,a\n1,inf\n2,text\n"), "no error");  // a column of texts
  EXPECT_EQ(error("y,a\n1,1\n", {.drop = {"b"}}), "x.csv: drop: no column 'b'; there are: y, a");
  EXPECT_EQ(
      error("y,a\nfr\x81h,1\n"),
      "x.csv: byte 7 is text neither in UTF-8 nor in Windows-1252; convert the file to UTF-8");
  std::string names = "y,id\n";
  for (int i = 0; i < 1001; ++i) names += "1,n" + std::to_string(i) + "\n";
  EXPECT_EQ(error(names),
            "x.csv:1002: column 2 ('id'): more than 1000 different texts; is 'id' a name? "
            "Leave the column out");
  std::string late = "y,id\n";
  for (int i = 0; i < 1000; ++i) late += "1," + std::to_string(i) + "\n";
  EXPECT_TRUE(error(late + "1,x\n").starts_with("x.csv:1002: column 2 ('id'): more than 1000"));
  EXPECT_EQ(error(names, {.drop = {"id"}}),
            "x.csv: 2 column(s), expected the class and at least one feature");
}

TEST(Load, ColumnsCanBeDroppedOrMadeCategories) {
  const std::string text = "y,a,b\n0,10,1\n1,9,2\n0,10,3\n";
  const Dataset data = parse_dataset(text, "x", {.drop = {"b"}, .categorical = {"a"}});
  EXPECT_EQ(data.table().schema.input_names(), (Strings{"a=9", "a=10"}));
}

class SchemaTest : public ::testing::Test {
 protected:
  std::string encode(const std::string& text) {
    return error_of([&] {
      Input input(text, "new.csv");
      CsvReader reader(input, {});
      RecordEncoder encoder(schema, nullptr, reader, {.strict = strict});
      row.assign(schema.features.size(), -7.0);
      while (reader.next()) encoder.encode(reader, row, nullptr);
    });
  }
  Schema schema = parse_dataset("y,size,colour\n0,1,red\n1,2,blue\n", "x").table().schema;
  std::vector<double> row;
  bool strict = true;
};

TEST_F(SchemaTest, ColumnsAreMatchedByName) {
  EXPECT_EQ(encode("colour,extra,size\nred,7,5\n"), "no error");
  EXPECT_EQ(row, (std::vector<double>{5.0, 1.0}));
}

TEST_F(SchemaTest, WhatDoesNotFitIsAnError) {
  EXPECT_EQ(encode("colour\nred\n"), "new.csv: 1 column(s) missing: size");
  EXPECT_EQ(encode("size,colour\n5,green\n"),
            "new.csv:2: column 2 ('colour'): unknown category 'green', expected one of blue, red");
  EXPECT_EQ(encode("size,colour\nbig,red\n"),
            "new.csv:2: column 1 ('size'): 'big' is not a number");
}

std::string portable_in_pieces(std::string_view text) {
  Sha256 sum(true);
  for (std::size_t size = 0; !text.empty(); size = (size + 7) % 150) {
    sum.add(text.substr(0, size));
    text.remove_prefix(std::min(size, text.size()));
  }
  return sum.digest();
}

TEST(Sha256, EqualsThePublishedVectors) {
  EXPECT_EQ(sha256(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(sha256(std::string(1'000'000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
  std::string text;
  for (int length = 0; length < 300; ++length, text += static_cast<char>(length * 37))
    EXPECT_EQ(sha256(text), portable_in_pieces(text)) << length;
}

}  // namespace
}  // namespace uaspl
