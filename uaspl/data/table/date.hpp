// Reads dates and times as they are written in tables, as days since 1970-01-01 with their
// fraction.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace uaspl {

// The order in which a date is written. Years have four digits, or two where they stand last; the
// parts are separated by `-`, `.` or `/`, and a time may follow: 2024-03-05T12:30:00+01:00,
// 5.3.24 12:30. kTime is a time alone.
enum class DateOrder { kYearMonthDay, kDayMonthYear, kMonthDayYear, kTime };
inline constexpr std::array kDateOrders = {DateOrder::kYearMonthDay, DateOrder::kDayMonthYear,
                                           DateOrder::kMonthDayYear, DateOrder::kTime};
std::string_view name_of(DateOrder order);  // `y-m-d`, say

// Returns the day, with its fraction if there is a time; nothing for text that is no such date.
std::optional<double> parse_date(std::string_view cell, DateOrder order);

// Writes a day as 2024-03-05, with the time if it has one.
std::string write_date(double day);

// What comes again and again: of a date, those parts that vary are of use.
struct DateParts {
  bool months = false;
  bool weekdays = false;
  bool times = false;
  std::size_t count() const { return (months ? 1 : 0) + (weekdays ? 1 : 0) + (times ? 1 : 0); }
  bool operator==(const DateParts&) const = default;
};

// The parts of a day, each as a share of its round, 0 up to 1: of the year by months, of the week
// from Monday on, of the day.
struct DateShares {
  double month = 0.0;
  double weekday = 0.0;
  double time = 0.0;
};
std::optional<DateShares> date_shares(double day);  // nothing for NaN and days beyond all calendars

}  // namespace uaspl
