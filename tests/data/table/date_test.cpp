// Dates and times as they are written, and numbers as people write them.
#include "uaspl/data/table/date.hpp"

#include <cmath>

#include "tests/support.hpp"
#include "uaspl/data/table/written_number.hpp"

namespace uaspl {
namespace {

constexpr DateOrder kYmd = DateOrder::kYearMonthDay;
constexpr DateOrder kDmy = DateOrder::kDayMonthYear;
constexpr DateOrder kMdy = DateOrder::kMonthDayYear;

TEST(Date, IsADayInTheOrderThatIsAsked) {
  EXPECT_EQ(parse_date("1970-01-01", kYmd), 0.0);
  EXPECT_EQ(parse_date("2024-03-05", kYmd), 19787.0);
  EXPECT_EQ(parse_date("2024/3/5", kYmd), 19787.0);
  EXPECT_EQ(parse_date("20240305", kYmd), 19787.0);
  EXPECT_EQ(parse_date("5.3.2024", kDmy), 19787.0);
  EXPECT_EQ(parse_date("05.03.24", kDmy), 19787.0);
  EXPECT_EQ(parse_date("3/5/2024", kMdy), 19787.0);
  EXPECT_EQ(parse_date("31.12.69", kDmy), -1.0);  // two digits from 69 on are of the last century
  EXPECT_EQ(parse_date("1900-02-28", kYmd), -25509.0);
}

TEST(Date, MayHaveATimeAndAZone) {
  EXPECT_EQ(parse_date("1970-01-01T12:00:00", kYmd), 0.5);
  EXPECT_EQ(parse_date("1970-01-01 06:00", kYmd), 0.25);
  EXPECT_EQ(parse_date("1970-01-02T01:00:00+01:00", kYmd), 1.0);
  EXPECT_EQ(parse_date("1970-01-02T00:00:00.000Z", kYmd), 1.0);
  EXPECT_EQ(parse_date("1/1/1970 6:00 pm", kMdy), 0.75);
  EXPECT_EQ(parse_date("12:00", DateOrder::kTime), 0.5);
  EXPECT_EQ(parse_date("00:00:43.2", DateOrder::kTime), 0.0005);
}

TEST(Date, AnythingElseIsNone) {
  for (const char* text :
       {"", "2024", "2024-13-01", "2024-02-30", "2024-03-05x", "2024-03", "2024-03.05", "-5.3.2024",
        "2024-03-05T", "2024-03-05T25:00", "2024-03-05T10:60", "2024-03-05T10:00+1", "99999999",
        "5.3.2024", "2024-00-10", "0000000000", "2024-3-5 1:00 xm"})
    EXPECT_FALSE(parse_date(text, kYmd)) << text;
  EXPECT_FALSE(parse_date("13/13/2024", kDmy));
  EXPECT_FALSE(parse_date("5.3.024", kDmy));
  EXPECT_FALSE(parse_date("12", DateOrder::kTime));
  EXPECT_FALSE(parse_date(std::string(100, '1'), kYmd));
}

TEST(Date, IsWrittenAndDividedAsTheCalendarHasIt) {
  EXPECT_EQ(write_date(19787.0), "2024-03-05");
  EXPECT_EQ(write_date(-0.25), "1969-12-31 18:00");
  EXPECT_EQ(write_date(NAN), "-");
  EXPECT_EQ(write_date(1e300), "-");
  const auto shares = date_shares(19787.5);  // a Tuesday in March
  ASSERT_TRUE(shares);
  EXPECT_EQ(shares->month, 2.0 / 12.0);
  EXPECT_EQ(shares->weekday, 1.0 / 7.0);
  EXPECT_EQ(shares->time, 0.5);
  EXPECT_EQ(date_shares(-3.0)->weekday, 0.0);  // 1969-12-29 was a Monday
  EXPECT_FALSE(date_shares(NAN));
  EXPECT_FALSE(date_shares(1e9));
}

double written(std::string_view cell, char decimal) {
  double value = NAN;
  return parse_written_number(cell, decimal, value) ? value : NAN;
}

TEST(WrittenNumber, WithAPoint) {
  EXPECT_EQ(written("1,000.34", '.'), 1000.34);
  EXPECT_EQ(written("1,234,567", '.'), 1234567.0);
  EXPECT_EQ(written("$1,000", '.'), 1000.0);
  EXPECT_EQ(written("-$5.50", '.'), -5.5);
  EXPECT_EQ(written("$-5.50", '.'), -5.5);
  EXPECT_EQ(written("12 %", '.'), 12.0);
  EXPECT_EQ(written("12.5%", '.'), 12.5);
  EXPECT_EQ(written("1'000.5 CHF", '.'), 1000.5);
  EXPECT_EQ(written("1e-3", '.'), 1e-3);
  EXPECT_EQ(written("+3", '.'), 3.0);
}

TEST(WrittenNumber, WithAComma) {
  EXPECT_EQ(written("1.000,34", ','), 1000.34);
  EXPECT_EQ(written("3,14", ','), 3.14);
  EXPECT_EQ(written("-0,5", ','), -0.5);
  EXPECT_EQ(written(",5", ','), 0.5);
  EXPECT_EQ(written("1.234", ','), 1234.0);
  EXPECT_EQ(written("17", ','), 17.0);
  EXPECT_EQ(written("1 000 000,5", ','), 1000000.5);
  EXPECT_EQ(written("1\u00a0000,5 \u20ac", ','), 1000.5);
  EXPECT_EQ(written("2,5e3", ','), 2500.0);
  EXPECT_EQ(written("1234,5678", ','), 1234.5678);
}

TEST(WrittenNumber, AnythingElseIsNone) {
  for (const char* text :
       {"",      " ",         "%",         "$",   "-",          "1,00,000", "12,34", "1,0000",
        ",5",    "1,234.5.6", "1,234,5",   "a1",  "1a",         "1 2",      "--5",   "- ",
        "5 % %", "0,123",     "1,000 000", "1-2", "2024-01-01", "1e",       "1,e5"})
    EXPECT_TRUE(std::isnan(written(text, '.'))) << text;
  for (const char* text : {"3.14", "1.000.34", "1,2,3", "0.123", "1,5x", ",", "1.5,", "12.34"})
    EXPECT_TRUE(std::isnan(written(text, ','))) << text;
  const std::string many(100, '9');
  EXPECT_EQ(written(many, ','), written(many, '.'));
}

}  // namespace
}  // namespace uaspl
