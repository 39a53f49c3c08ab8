// JSON from anybody: what is read is what stands there, anything else is an error that says where.
#include "uaspl/io/json.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "uaspl/io/safetensors.hpp"

namespace uaspl {
namespace {

using nlohmann::json;

std::string error_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

std::string refused(const std::string& text) {
  return error_of([&] { parse_json(text); });
}

TEST(Json, ReadsWhatTheParserReads) {
  for (const char* text :
       {"null", "true", "-7", "18446744073709551615", "-9223372036854775808", "0.1", "1e300",
        "\"a\\u00e4\\n\"", "[]", "{}", "[1,[2,{\"a\":[3,{}]}],null]",
        R"({"a":{"b":[1,2,{"c":"d"}],"e":{}},"f":[[],[{}]],"g":false})", " [ 1 , 2 ] \n"})
    EXPECT_EQ(parse_json(text), json::parse(text)) << text;
  EXPECT_EQ(parse_json("18446744073709551615").get<std::uint64_t>(), 18446744073709551615U);
}

TEST(Json, RefusesWhatIsNotPlainAndSaysWhere) {
  EXPECT_EQ(refused("{\"a\": 1,\n \"b\": {\"c\": 1, \"c\": 2}}"),
            "the key 'c' comes twice (line 2, byte 27)");
  EXPECT_EQ(refused("[1, 18446744073709551616]"),
            "the number 18446744073709551616 is larger than 64 bits hold (line 1, byte 25)");
  EXPECT_NE(refused("[-9223372036854775809]").find("larger than 64 bits"), std::string::npos);
  EXPECT_NE(refused("[1e999]").find("not JSON"), std::string::npos);
  EXPECT_NE(refused("").find("not JSON"), std::string::npos);
  EXPECT_NE(refused("{} x").find("not JSON"), std::string::npos);
  EXPECT_NE(refused("[1,]").find("not JSON"), std::string::npos);
  EXPECT_NE(refused("\"\xff\"").find("not JSON"), std::string::npos);
  EXPECT_NE(refused("NaN").find("not JSON"), std::string::npos);
  EXPECT_EQ(parse_json(std::string(32, '[') + std::string(32, ']')).size(), 1U);
  EXPECT_NE(refused(std::string(33, '[') + std::string(33, ']')).find("nested too deeply"),
            std::string::npos);
  EXPECT_NE(refused(std::string(1000000, '[')).find("nested too deeply"), std::string::npos);
  const std::string long_key(5000, 'k');
  EXPECT_LT(refused("{\"" + long_key + "\":1,\"" + long_key + "\":1}").size(), 200U);
  EXPECT_LT(refused("[\"" + long_key).size(), 200U);
  EXPECT_EQ(refused("{\"a\x1b\":1}").find('\x1b'), std::string::npos);
}

// With the parser's own callback, each member costs as much as all before it: minutes.
TEST(Json, LargeObjectsTakeTimeInProportion) {
  std::string text = "{";
  for (int i = 0; i < 60000; ++i) text += "\"key" + std::to_string(i) + "\":[1],";
  text += "\"end\":{}}";
  EXPECT_EQ(parse_json(text).size(), 60001U);
  TensorFile file;
  for (int i = 0; i < 10000; ++i) file.tensors["t" + std::to_string(i)] = {{1}, std::vector{1.0F}};
  EXPECT_EQ(read_safetensors(write_safetensors(file), "m").tensors.size(), 10000U);
}

TEST(Json, ValuesHaveTheirTypeAndRange) {
  const json all = parse_json(
      R"({"rows":1e300,"one":1.0,"minus":-1,"seed":4294967296,"stages":1.5,"text":"x","good":7,
          "list":[1,2.5],"sizes":[1,2],"reals":[1,2.5],"large":[1e300],"names":["a"],"odd":[1]})");
  EXPECT_EQ(error_of([&] { integer<std::size_t>(all, "rows"); }),
            "'rows' is 1e+300, expected a whole number from 0 to 18446744073709551615");
  EXPECT_EQ(error_of([&] { integer<std::uint32_t>(all, "minus"); }),
            "'minus' is -1, expected a whole number from 0 to 4294967295");
  for (const char* name : {"one", "seed", "stages", "text", "list"})
    EXPECT_NE(error_of([&] { integer<std::uint32_t>(all, name); }).find(name), std::string::npos);
  EXPECT_EQ(error_of([&] { integer<int>(all, "none"); }), "no 'none'");
  EXPECT_EQ(error_of([&] { integer<int>(json(3), "x"); }),
            "expected an object with 'x', not number");
  EXPECT_EQ(integer<int>(all, "good"), 7);
  EXPECT_EQ(integer<std::int8_t>(all, "minus"), -1);
  EXPECT_EQ(integers<std::size_t>(all, "sizes"), (std::vector<std::size_t>{1, 2}));
  EXPECT_THROW(integers<std::size_t>(all, "list"), Error);
  EXPECT_EQ(floats(all, "reals"), (std::vector<float>{1.0F, 2.5F}));
  EXPECT_THROW(floats(all, "large"), Error);
  EXPECT_EQ(texts(all, "names"), std::vector<std::string>{"a"});
  EXPECT_THROW(texts(all, "odd"), Error);
  EXPECT_THROW(texts(all, "text"), Error);
  EXPECT_EQ(text(all, "text"), "x");
  EXPECT_THROW(text(all, "good"), Error);
  EXPECT_EQ(number(all, "stages"), 1.5);
  EXPECT_THROW(number(all, "text"), Error);
}

}  // namespace
}  // namespace uaspl
