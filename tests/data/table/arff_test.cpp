// ARFF files: what is declared, rows with all values and sparse ones, and files that are wrong.
#include "tests/data/table/records.hpp"
#include "tests/support.hpp"
#include "uaspl/data/table/load.hpp"

namespace uaspl {
namespace {

using testing::fault_of;
using testing::records_of;
using testing::Strings;
using Kind = ColumnHint::Kind;

constexpr const char* kHead =
    "% a comment\n\n@relation 'some thing'\n@ATTRIBUTE a NUMERIC\n@attribute 'b c' {u, 'v "
    "w',\"x\"}\n"
    "@attribute Class {no,yes}\n@data\n";

TEST(Arff, ReadsRows) {
  const std::vector<Strings> expected{
      {"a", "b c", "Class"}, {"1", "u", "no"}, {"-2.5e3", "v w", "yes"}, {"?", "x", "?"}};
  EXPECT_EQ(records_of(std::string(kHead) +
                       "1,u,no\n% another\n\n -2.5e3 , 'v w',\tyes % behind\n?,\"x\",?"),
            expected);
  // Blanks instead of commas, other line ends, and a byte order mark.
  std::string text =
      "\xEF\xBB\xBF" + std::string(kHead) + "1 u no\n-2.5e3\t'v w'  yes\n? \"x\" ?\n";
  EXPECT_EQ(records_of(text), expected);
  std::string dos;
  for (const char c : text) dos += c == '\n' ? std::string("\r\n") : std::string(1, c);
  EXPECT_EQ(records_of(dos), expected);
  std::ranges::replace(text, '\n', '\r');
  EXPECT_EQ(records_of(text), expected);
}

TEST(Arff, SaysWhatIsDeclared) {
  const std::string text =
      "@relation r\n@attribute a real [0, 1]\n@attribute b integer\n@attribute c string\n"
      "@attribute d date\n@attribute e date 'yyyy-MM-dd HH:mm'\n@attribute f{1,2, 1} % twice\n"
      "@attribute g { }\n@attribute cLASS {p}\n@data\n";
  Input input(text, "x");
  const auto reader = open_records(input, {});
  const std::vector<Kind> kinds = {Kind::kNumber, Kind::kNumber,  Kind::kText,    Kind::kDate,
                                   Kind::kDate,   Kind::kNominal, Kind::kNominal, Kind::kNominal};
  ASSERT_EQ(reader->hints().size(), kinds.size());
  for (std::size_t i = 0; i < kinds.size(); ++i) EXPECT_EQ(reader->hints()[i].kind, kinds[i]) << i;
  EXPECT_EQ(reader->hints()[3].date_format, "yyyy-MM-dd'T'HH:mm:ss");
  EXPECT_EQ(reader->hints()[4].date_format, "yyyy-MM-dd HH:mm");
  EXPECT_EQ(reader->hints()[5].levels, (Strings{"1", "2"}));
  EXPECT_EQ(reader->target(), 7U);
}

TEST(Arff, TheTargetIsTheClassOrANominalAttributeAtTheEnd) {
  const auto target = [](const std::string& attributes) {
    const std::string text = "@relation r\n" + attributes + "@data\n";
    Input input(text, "x");
    return open_records(input, {})->target();
  };
  EXPECT_EQ(target("@attribute class {a,b}\n@attribute x {c,d}\n"), 0U);
  EXPECT_EQ(target("@attribute y {a,b}\n@attribute x {c,d}\n"), 1U);
  EXPECT_EQ(target("@attribute y {a,b}\n@attribute x numeric\n"), std::nullopt);
}

TEST(Arff, QuotesAndEscapes) {
  EXPECT_EQ(
      records_of(
          "@relation r\n@attribute \"a \\\"b\\\"\" string\n@attribute c {'it\\'s','a,b','%'}\n"
          "@data\n'\\\\ \\t\\n\\r \\u00e4 \\q {','it\\'s'\n\"it's\",'%'\n'', \"a,b\"\n10%,'%'\n"),
      (std::vector<Strings>{{"a \"b\"", "c"},
                            {"\\ \t\n\r \u00e4 q {", "it's"},
                            {"it's", "%"},
                            {"", "a,b"},
                            {"10%", "%"}}));
}

TEST(Arff, SparseRows) {
  const std::string head =
      "@relation r\n@attribute a numeric\n@attribute b {u,v}\n@attribute c string\n@attribute d "
      "{p,q}\n@data\n";
  EXPECT_EQ(records_of(head + "{0 5, 3 q}\n{}\n{ 2 'a b' , 1 v } % x\n{3 ?}\n1,v,w,q\n"),
            (std::vector<Strings>{{"a", "b", "c", "d"},
                                  {"5", "u", "", "q"},
                                  {"0", "u", "", "p"},
                                  {"0", "v", "a b", "p"},
                                  {"0", "u", "", "?"},
                                  {"1", "v", "w", "q"}}));
  EXPECT_EQ(fault_of(head + "{4 1}\n"), "x:7:2: no attribute 4, the last of the 4 is 3");
  EXPECT_EQ(fault_of(head + "{0 1, 0 2}\n"), "x:7: column 1 ('a'): stands twice in the row");
  EXPECT_EQ(fault_of(head + "{0 1\n"), "x:7: the bracket of the row is not closed");
  EXPECT_EQ(fault_of(head + "{0}\n"), "x:7:2: expected the place of an attribute and its value");
  EXPECT_EQ(fault_of(head + "{-1 2}\n"), "x:7:2: expected the place of an attribute and its value");
  EXPECT_EQ(fault_of(head + "{99999999999999999999 2}\n"),
            "x:7:2: expected the place of an attribute and its value");
  EXPECT_EQ(fault_of(head + "{0 x}\n"), "x:7: column 1 ('a'): 'x' is not a number");
  EXPECT_EQ(fault_of(head + "{0 1} 3\n"), "x:7:7: text behind the closing bracket");
  EXPECT_TRUE(fault_of(head + "{0 1}, {5}\n").starts_with("x:7:6: the weight of a row"));
}

TEST(Arff, ErrorsSayWhere) {
  const auto fault = [](const std::string& line) { return fault_of(kHead + line); };
  EXPECT_EQ(fault("1,u\n"), "x:8: 2 value(s), and 3 attribute(s) are declared");
  EXPECT_EQ(fault("1,u,no,\n"), "x:8: 4 value(s), and 3 attribute(s) are declared");
  EXPECT_EQ(fault("z,u,no\n"), "x:8: column 1 ('a'): 'z' is not a number");
  EXPECT_EQ(fault("1,U,no\n"),
            "x:8: column 2 ('b c'): 'U' is not among the declared values u, v w, x");
  EXPECT_EQ(fault("1,'u,no\n"), "x:8:3: a quote opens here that is not closed in the line");
  EXPECT_EQ(fault("1,'u\\"), "x:8:3: a quote opens here that is not closed in the line");
  EXPECT_EQ(fault("1,'u'x,no\n"), "x:8:6: text after a closing quote");
  EXPECT_TRUE(fault("1,u,no, {5}\n").starts_with("x:8:9: the weight of a row in curly brackets"));
  EXPECT_EQ(fault(std::string("1,\0,no\n", 7)), "x:8: a NUL byte, expected text");
  const auto declared = [](const std::string& line) { return fault_of("@relation r\n" + line); };
  EXPECT_EQ(declared(""), "x: the file ends before the line @data");
  EXPECT_EQ(declared("@data\n"), "x:2: the rows begin, and no attribute was declared");
  EXPECT_EQ(declared("@attribute a numeric\n@attribute a real\n@data\n"),
            "x:3: a second attribute 'a'");
  EXPECT_EQ(declared("@attribute\n"), "x:2: expected the name and the type of an attribute");
  EXPECT_EQ(declared("@attribute '' real\n"), "x:2: an attribute without a name");
  EXPECT_TRUE(declared("@attribute a float\n")
                  .starts_with("x:2: attribute 'a' has the type 'float', expected"));
  EXPECT_TRUE(
      declared("@attribute a relational\n").starts_with("x:2: attribute 'a' is relational"));
  EXPECT_EQ(declared("@attribute a {x,y\n"), "x:2: attribute 'a': the bracket is not closed");
  EXPECT_EQ(declared("@attribute a {x,,y}\n"),
            "x:2: attribute 'a': an empty value, or no closing bracket");
  EXPECT_EQ(declared("@attribute a {x} y\n"), "x:2: attribute 'a': 'y' behind the closing bracket");
  EXPECT_EQ(declared("1,2\n"), "x:2: '1,2', expected @attribute or @data");
}

TEST(Arff, IsADataSet) {
  const Dataset data =
      parse_dataset(std::string(kHead) + "1,u,no\n2,x,yes\n3,u,yes\n", "x", {.target = "Class"});
  EXPECT_EQ(data.rows(), 3U);
  EXPECT_EQ(data.target.classes, (Strings{"no", "yes"}));
}

}  // namespace
}  // namespace uaspl
