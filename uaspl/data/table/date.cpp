// Dates and times, see date.hpp.
#include "uaspl/data/table/date.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cmath>

namespace uaspl {
namespace {

namespace chrono = std::chrono;

constexpr double kMostDays = 4e6;  // more than ten thousand years
constexpr double kSecondsOfDay = 86400.0;

// Takes pieces from the front of a cell.
class Text {
 public:
  explicit Text(std::string_view text) : rest_(text) {}
  bool ended() const { return rest_.empty(); }

  bool take(char c) {
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }

  char take_any(std::string_view candidates) {
    if (rest_.empty() || candidates.find(rest_.front()) == std::string_view::npos) return '\0';
    const char c = rest_.front();
    rest_.remove_prefix(1);
    return c;
  }

  // A whole number of so many digits; returns how many there were, or 0.
  std::size_t take_number(std::size_t most, int& value) {
    std::size_t digits = 0;
    value = 0;
    for (; digits < rest_.size() && rest_[digits] >= '0' && rest_[digits] <= '9'; ++digits) {
      if (digits == most) return 0;
      value = 10 * value + (rest_[digits] - '0');
    }
    rest_.remove_prefix(digits);
    return digits;
  }

  double take_fraction() {
    double value = 0.0;
    double unit = 0.1;
    int digit = 0;
    while (!rest_.empty() && rest_.front() >= '0' && rest_.front() <= '9') {
      digit = rest_.front() - '0';
      value += unit * digit;
      unit /= 10.0;
      rest_.remove_prefix(1);
    }
    return value;
  }

  void skip_blanks() {
    while (take(' ')) {
    }
  }

 private:
  std::string_view rest_;
};

std::optional<double> day_number(int year, int month, int day) {
  if (month < 1 || day < 1) return std::nullopt;
  const chrono::year_month_day date{chrono::year(year), chrono::month(static_cast<unsigned>(month)),
                                    chrono::day(static_cast<unsigned>(day))};
  if (!date.ok()) return std::nullopt;
  return static_cast<double>(chrono::sys_days(date).time_since_epoch().count());
}

int full_year(std::size_t digits, int year) {
  if (digits > 2) return year;
  return year + (year < 69 ? 2000 : 1900);  // as POSIX reads years of two digits
}

std::optional<double> take_day(Text& text, DateOrder order) {
  int first = 0;
  int second = 0;
  int third = 0;
  const std::size_t size = text.take_number(8, first);
  const bool year_first = order == DateOrder::kYearMonthDay;
  if (year_first && size == 8)  // 20240305
    return day_number(first / 10000, first / 100 % 100, first % 100);
  if (year_first ? size != 4 : size < 1 || size > 2) return std::nullopt;
  const char between = text.take_any("-./");
  const std::size_t middle = text.take_number(2, second);
  if (between == '\0' || middle == 0 || !text.take(between)) return std::nullopt;
  const std::size_t last = text.take_number(4, third);
  if (year_first) {
    if (last < 1 || last > 2) return std::nullopt;
    return day_number(first, second, third);
  }
  if (last != 2 && last != 4) return std::nullopt;
  const int year = full_year(last, third);
  return order == DateOrder::kDayMonthYear ? day_number(year, second, first)
                                           : day_number(year, first, second);
}

// hh:mm, hh:mm:ss, hh:mm:ss.fff, each with am or pm, and a zone: Z, +hh:mm, +hhmm or +hh.
std::optional<double> take_time(Text& text) {
  int hour = 0;
  int minute = 0;
  int whole = 0;
  double second = 0.0;
  if (text.take_number(2, hour) == 0 || !text.take(':')) return std::nullopt;
  if (text.take_number(2, minute) != 2) return std::nullopt;
  if (text.take(':')) {
    if (text.take_number(2, whole) != 2) return std::nullopt;
    second = whole;
    if (text.take_any(".,") != '\0') second += text.take_fraction();
  }
  text.skip_blanks();
  if (const char half = text.take_any("aApP"); half != '\0') {
    if (text.take_any("mM") == '\0' || hour < 1 || hour > 12) return std::nullopt;
    hour = hour % 12 + (half == 'p' || half == 'P' ? 12 : 0);
  }
  if (hour > 24 || minute > 59 || second > 60.0) return std::nullopt;
  double seconds = 3600.0 * hour + 60.0 * minute + second;
  if (const char sign = text.take_any("zZ+-"); sign == '+' || sign == '-') {
    int hours = 0;
    int minutes = 0;
    if (text.take_number(2, hours) != 2) return std::nullopt;
    text.take(':');
    if (!text.ended() && text.take_number(2, minutes) != 2) return std::nullopt;
    seconds -= (sign == '+' ? 1.0 : -1.0) * (3600.0 * hours + 60.0 * minutes);
  }
  return seconds / kSecondsOfDay;
}

}  // namespace

std::string_view name_of(DateOrder order) {
  constexpr std::string_view kNames[] = {"y-m-d", "d.m.y", "m/d/y", "time"};
  return kNames[static_cast<std::size_t>(order)];
}

std::optional<double> parse_date(std::string_view cell, DateOrder order) {
  if (cell.size() < 4 || cell.size() > 40 || cell.front() < '0' || cell.front() > '9')
    return std::nullopt;
  Text text(cell);
  double day = 0.0;
  if (order != DateOrder::kTime) {
    const auto whole = take_day(text, order);
    if (!whole || text.ended()) return whole;
    day = *whole;
    const bool separate = text.take_any("Tt ") != '\0';
    text.skip_blanks();
    if (!separate) return std::nullopt;
  }
  const auto time = take_time(text);
  if (!time || !text.ended()) return std::nullopt;
  return day + *time;
}

std::string write_date(double day) {
  if (!(std::abs(day) < kMostDays)) return "-";
  const double whole = std::floor(day);
  const chrono::year_month_day date{chrono::sys_days(chrono::days(static_cast<int>(whole)))};
  std::string text =
      fmt::format("{:04}-{:02}-{:02}", static_cast<int>(date.year()),
                  static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()));
  const auto minutes = static_cast<int>((day - whole) * 1440.0);
  if (minutes > 0) text += fmt::format(" {:02}:{:02}", minutes / 60, minutes % 60);
  return text;
}

std::optional<DateShares> date_shares(double day) {
  if (!(std::abs(day) < kMostDays)) return std::nullopt;
  const double whole = std::floor(day);
  const auto number = static_cast<int>(whole);
  const chrono::year_month_day date{chrono::sys_days(chrono::days(number))};
  const int weekday = ((number + 3) % 7 + 7) % 7;  // 1970-01-01 was a Thursday
  return DateShares{(static_cast<unsigned>(date.month()) - 1) / 12.0, weekday / 7.0, day - whole};
}

}  // namespace uaspl
