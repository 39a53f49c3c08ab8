// Files of libsvm and SVMlight: what is there, what is left out, and files that are wrong.
#include "tests/data/table/records.hpp"
#include "tests/support.hpp"

namespace uaspl {
namespace {

using testing::fault_of;
using testing::records_of;
using testing::Strings;

TEST(Libsvm, ReadsRows) {
  EXPECT_EQ(
      records_of("# made by hand\n+1 1:0.5 3:-2e1\n-1 3:1 # a comment\n\n0\n1 7:nan 1:2 \r\n"),
      (std::vector<Strings>{{"label", "f1", "f3", "f7"},
                            {"1", "0.5", "-2e1", "0"},
                            {"-1", "0", "1", "0"},
                            {"0", "0", "0", "0"},
                            {"1", "2", "0", "nan"}}));
  EXPECT_EQ(records_of("1\n0\n1 0:1"),
            (std::vector<Strings>{{"label", "f0"}, {"1", "0"}, {"0", "0"}, {"1", "1"}}));
  EXPECT_EQ(records_of("3 qid:1 1:2\n"), (std::vector<Strings>{{"label", "f1"}, {"3", "2"}}));
}

TEST(Libsvm, NumbersAndTarget) {
  const std::string text = "1 1:0.25 2:3 qid:4\n";
  Input input(text, "x");
  const auto reader = open_records(input, {});
  EXPECT_EQ(reader->target(), 0U);
  EXPECT_EQ(reader->hints()[1].kind, ColumnHint::Kind::kNumber);
  ASSERT_TRUE(reader->next());
  double value = 0.0;
  EXPECT_TRUE(reader->number(1, value));
  EXPECT_EQ(value, 0.25);
  EXPECT_EQ(reader->notes(), (Strings{"x: groups (qid) are not used"}));
}

// In a stream the columns are those that are looked for, whatever the rows have.
TEST(Libsvm, ExpectedColumnsNeedNoFirstPass) {
  EXPECT_EQ(
      records_of("1 2:5 3:7 9:1\n0 1:4\n", {.expected = {"f3", "f1", "f12", "colour", "f03"}}),
      (std::vector<Strings>{
          {"label", "f1", "f3", "f12"}, {"1", "0", "7", "0"}, {"0", "4", "0", "0"}}));
}

TEST(Libsvm, ErrorsSayWhere) {
  EXPECT_EQ(fault_of("1 1:2\n0 1:x\n"), "x:2: column 2 ('f1'): 'x' is not a number");
  EXPECT_EQ(fault_of("1 1:2\n0 1:\n"), "x:2: column 2 ('f1'): no value behind the colon");
  EXPECT_EQ(fault_of("1 1:2\n0 1:2 1:3\n"), "x:2: column 2 ('f1'): stands twice in the line");
  EXPECT_EQ(fault_of("1 1:2\n1:2 3:4\n"),
            "x:2:1: '1:2', expected the label, a number, before the values");
  EXPECT_EQ(fault_of("1 1:2\n1,3 3:4\n"),
            "x:2:1: '1,3', expected the label, a number, before the values");
  EXPECT_EQ(fault_of("1 1:2\n1 3\n"), "x:2:3: '3', expected a place and a value, as in 3:0.5");
  EXPECT_EQ(fault_of("1 1:2\n1 -3:1\n"),
            "x:2:3: '-3:1', expected a place and a value, as in 3:0.5");
  EXPECT_EQ(fault_of("1 1:2\n1 4294967296:1\n"),
            "x:2:3: '4294967296:1', expected a place and a value, as in 3:0.5");
}

// A place of four thousand million is a column among others, and asks for no more memory.
TEST(Libsvm, FarPlacesAreFewColumns) {
  EXPECT_EQ(
      records_of("1 4294967295:1\n0 5:2\n"),
      (std::vector<Strings>{{"label", "f5", "f4294967295"}, {"1", "0", "1"}, {"0", "2", "0"}}));
}

TEST(Libsvm, ManyRowsOfDifferentPlacesAreRefused) {
  std::string text;
  for (int i = 0; i < 20000; ++i) text += "1 " + std::to_string(i) + ":1\n";
  EXPECT_NE(fault_of(text).find("columns, and nearly all cells"), std::string::npos)
      << fault_of(text);
}

}  // namespace
}  // namespace uaspl
