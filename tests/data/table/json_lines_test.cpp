// JSON lines: names in any order, every kind of value, escapes, and lines that are no such object.
#include "tests/data/table/records.hpp"
#include "tests/support.hpp"

namespace uaspl {
namespace {

using testing::fault_of;
using testing::records_of;
using testing::Strings;

TEST(JsonLines, ReadsObjects) {
  EXPECT_EQ(records_of(
                "\n{\"a\": 1, \"b\":\"x\"}\n\n { \"b\" : null , \"c\":true,\"a\":-2.50e+3 }\r\n{}\n"
                "{\"c\":false,\"b\":\"\"}"),
            (std::vector<Strings>{{"a", "b", "c"},
                                  {"1", "x", ""},
                                  {"-2.50e+3", "", "true"},
                                  {"", "", ""},
                                  {"", "", "false"}}));
  EXPECT_EQ(records_of("{\"a\":NaN,\"b\":-Infinity}\n"),
            (std::vector<Strings>{{"a", "b"}, {"NaN", "-Infinity"}}));
}

TEST(JsonLines, Escapes) {
  EXPECT_EQ(records_of(R"({"a\tb":"\"\\\/\b\f\n\r\t","\u00e4":"\u20AC \ud83d\uDE00!"})"),
            (std::vector<Strings>{{"a\tb", "\u00e4"}, {"\"\\/\b\f\n\r\t", "\u20ac \U0001F600!"}}));
  for (const char* bad : {R"("\x")", R"("\u12")", R"("\ud800")", R"("\ud800\u0041")", R"("\udc00")",
                          R"("\u0000")", R"("\)", R"("\u123g")", R"("\u-123")"})
    EXPECT_NE(fault_of("{\"a\":1}\n{\"a\":" + std::string(bad) + "}\n").find("x:2:"),
              std::string::npos)
        << bad;
}

// In a stream, names that come later and are not looked for are passed over.
TEST(JsonLines, ExpectedColumnsNeedNoFirstPass) {
  EXPECT_EQ(records_of("{\"id\":7,\"b\":1}\n{\"c\":3,\"a\":2}\n", {.expected = {"a", "b"}}),
            (std::vector<Strings>{{"id", "b", "a"}, {"7", "1", ""}, {"", "", "2"}}));
  const std::string text = "{\"id\":7}\n";
  Input input(text, "x");
  const auto reader = open_records(input, {.expected = {"a", "b"}});
  EXPECT_EQ(testing::all_of(*reader).size(), 1U);
  EXPECT_EQ(reader->notes(), (Strings{"x: no object has the name(s) a, b"}));
}

TEST(JsonLines, ErrorsSayWhere) {
  const auto fault = [](const std::string& line) { return fault_of("{\"a\":1}\n" + line); };
  EXPECT_EQ(fault("{\"a\":{\"b\":1}}\n"),
            "x:2:6: 'a' is an object, which no cell can hold; expected text, a number, true, false "
            "or null");
  EXPECT_EQ(
      fault("{\"a\":[1]}\n"),
      "x:2:6: 'a' is a list, which no cell can hold; expected text, a number, true, false or null");
  EXPECT_EQ(fault("{\"a\":1,\"a\":2}\n"), "x:2: column 1 ('a'): stands twice in the object");
  EXPECT_EQ(fault("{\"a\":1\n"),
            "x:2:7: expected a comma or the end of the object, all of it on one line");
  EXPECT_EQ(fault("{\"a\":1} x\n"), "x:2:9: text after the object");
  EXPECT_EQ(fault("{\"a\":1,}\n"), "x:2:8: expected a name in quotes");
  EXPECT_EQ(fault("{a:1}\n"), "x:2:2: expected a name in quotes");
  EXPECT_EQ(fault("{\"a\" 1}\n"), "x:2:6: expected a colon after the name");
  EXPECT_EQ(fault("[1]\n"), "x:2:1: expected an object in curly brackets");
  EXPECT_EQ(fault("{\"\":1}\n"), "x:2: an empty name");
  EXPECT_EQ(fault("{\"a\":\"x\ty\"}\n"), "x:2:8: a control character, expected its escape");
  EXPECT_EQ(fault("{\"a\":\"x}\n"), "x:2:6: a quote opens here that is not closed in the line");
  for (const char* bad : {"+1", "01", "1.", ".5", "1e", "-", "0x1", "tru", "nan", ""})
    EXPECT_NE(fault("{\"a\":" + std::string(bad) + "}\n").find("expected text in quotes, a number"),
              std::string::npos)
        << bad;
  EXPECT_EQ(fault_of("{}\n{}\n"), "x: no object has a name");
  EXPECT_EQ(fault_of("[\n{\"a\":1}\n]\n"),
            "x: a list of JSON, expected an object on each line; `jq -c '.[]'` makes them of it");
  EXPECT_EQ(fault_of("[{\"a\":1}]\n").substr(0, 18), "x: a list of JSON,");
}

TEST(JsonLines, ManyNamesOnFewRowsAreRefused) {
  std::string text;
  for (int i = 0; i < 20000; ++i) text += "{\"" + std::to_string(i) + "\":1}\n";
  EXPECT_NE(fault_of(text).find("columns, and nearly all cells"), std::string::npos);
}

}  // namespace
}  // namespace uaspl
