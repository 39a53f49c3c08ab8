// The reader of JSON lines, see json_lines.hpp. It knows as much of JSON as a flat object needs,
// and hands the text of numbers on as it is.
#include "uaspl/data/table/json_lines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>

#include "uaspl/base/text.hpp"

namespace uaspl {
namespace {

constexpr std::size_t kNoColumn = static_cast<std::size_t>(-1);

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Says whether a word is a number as JSON has it: no plus in front, no leading zero, digits on both
// sides of the point.
bool is_json_number(std::string_view word) {
  const auto take_digits = [&] {
    std::size_t count = 0;
    for (; !word.empty() && is_digit(word.front()); ++count) word.remove_prefix(1);
    return count;
  };
  if (word.starts_with('-')) word.remove_prefix(1);
  const bool zero = word.starts_with('0');
  const std::size_t digits = take_digits();
  if (digits == 0 || (zero && digits > 1)) return false;
  if (word.starts_with('.')) {
    word.remove_prefix(1);
    if (take_digits() == 0) return false;
  }
  if (word.starts_with('e') || word.starts_with('E')) {
    word.remove_prefix(1);
    if (word.starts_with('+') || word.starts_with('-')) word.remove_prefix(1);
    if (take_digits() == 0) return false;
  }
  return word.empty();
}

}  // namespace

bool begins_json_object(std::string_view line) {
  line = trim_blanks(line);
  if (!line.starts_with('{')) return false;
  line = trim_blanks(line.substr(1));
  return line.starts_with('"') || line == "}";
}

JsonLinesReader::JsonLinesReader(Input& input, const TableFormat& format)
    : RecordReader(input.name()), lines_(input) {
  const bool all = format.expected.empty();
  const auto add = [&](std::string_view name, std::string_view) {
    if (column_of(name, kNoColumn) == kNoColumn) add_column(name);
  };
  bool some = false;
  while ((all || !some) && next_line()) {
    some = true;
    read_object(add);
  }
  for (const std::string& column : format.expected) add(column, {});
  if (columns_.empty()) throw Error(fmt::format("{}: no object has a name", name()));
  if (all)
    lines_.rewind();
  else if (some)
    lines_.again();
  hints_.resize(columns_.size());
  filled_.resize(columns_.size());
  met_.resize(columns_.size());
  cells_.resize(columns_.size());
}

std::size_t JsonLinesReader::add_column(std::string_view name) {
  if (name.empty()) throw lines_.error("an empty name");
  if (columns_.size() == kMostColumns)
    throw lines_.error(fmt::format("more than {} different names", kMostColumns));
  places_.emplace(name, columns_.size());
  columns_.emplace_back(name);
  return columns_.size() - 1;
}

// Returns the column of a name, which most often is the one after that of the name before.
std::size_t JsonLinesReader::column_of(std::string_view name, std::size_t guess) const {
  if (guess < columns_.size() && columns_[guess] == name) return guess;
  const auto found = places_.find(name);
  return found == places_.end() ? kNoColumn : found->second;
}

bool JsonLinesReader::next_line() {
  while (lines_.next()) {
    rest_ = trim_blanks(lines_.line());
    if (!rest_.empty()) return true;
  }
  return false;
}

bool JsonLinesReader::next() {
  if (!next_line()) return false;
  line_ = lines_.number();
  has_room_ = lines_.has_room();
  budget_.take(columns_.size(), lines_);
  ++record_;
  std::ranges::fill(cells_, kEmptyCell);
  std::size_t next_column = 0;
  read_object([&](std::string_view name, std::string_view value) {
    const std::size_t column = column_of(name, next_column);
    if (column == kNoColumn) return;
    if (filled_[column] == record_) throw error(column, "stands twice in the object");
    filled_[column] = record_;
    met_[column] = true;
    cells_[column] = value;
    next_column = column + 1;
  });
  return true;
}

template <typename Take>
void JsonLinesReader::read_object(Take take) {
  unescaped_.clear();
  expect('{', "an object in curly brackets");
  skip_blanks();
  bool more = !rest_.starts_with('}');
  while (more) {
    skip_blanks();
    if (!rest_.starts_with('"')) throw lines_.error_at(rest_.data(), "expected a name in quotes");
    const std::string_view name = take_text();
    expect(':', "a colon after the name");
    take(name, take_value(name));
    skip_blanks();
    more = rest_.starts_with(',');
    if (more) rest_.remove_prefix(1);
  }
  expect('}', "a comma or the end of the object, all of it on one line");
  skip_blanks();
  if (!rest_.empty()) throw lines_.error_at(rest_.data(), "text after the object");
}

void JsonLinesReader::skip_blanks() {
  rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t\r"), rest_.size()));
}

void JsonLinesReader::expect(char c, std::string_view what) {
  skip_blanks();
  if (!rest_.starts_with(c)) throw lines_.error_at(rest_.data(), fmt::format("expected {}", what));
  rest_.remove_prefix(1);
}

std::string_view JsonLinesReader::take_value(std::string_view name) {
  skip_blanks();
  if (rest_.starts_with('"')) return take_text();
  if (rest_.starts_with('{') || rest_.starts_with('['))
    throw lines_.error_at(
        rest_.data(), fmt::format("'{}' is {}, which no cell can hold; expected text, a number, "
                                  "true, false or null",
                                  printable(name), rest_[0] == '{' ? "an object" : "a list"));
  const std::size_t end = std::min(rest_.find_first_of(" \t\r,}"), rest_.size());
  const std::string_view word = rest_.substr(0, end);
  const char* const place = rest_.data();
  rest_.remove_prefix(end);
  if (word == "null") return kEmptyCell;
  // The last three are no JSON, and what many programs write.
  if (is_json_number(word) || word == "true" || word == "false" || word == "NaN" ||
      word == "Infinity" || word == "-Infinity")
    return word;
  throw lines_.error_at(place,
                        fmt::format("'{}': expected text in quotes, a number, true, false or "
                                    "null",
                                    printable(word)));
}

// Takes a text in quotes.
std::string_view JsonLinesReader::take_text() {
  rest_.remove_prefix(1);
  std::size_t end = 0;
  while (end < rest_.size() && rest_[end] != '"' && rest_[end] != '\\' &&
         static_cast<unsigned char>(rest_[end]) >= 0x20)
    ++end;
  if (end == rest_.size() || rest_[end] != '"') return take_escaped(end);
  const std::string_view text = rest_.substr(0, end);
  rest_.remove_prefix(end + 1);
  return text;
}

// Does so where something has to be looked at from a place on.
std::string_view JsonLinesReader::take_escaped(std::size_t end) {
  std::string& plain = unescaped_.emplace_back(rest_.substr(0, end));
  has_room_ = false;
  std::size_t at = end;
  while (true) {
    if (at == rest_.size())
      throw lines_.error_at(rest_.data() - 1, "a quote opens here that is not closed in the line");
    const char c = rest_[at];
    if (static_cast<unsigned char>(c) < 0x20)
      throw lines_.error_at(rest_.data() + at, "a control character, expected its escape");
    ++at;
    if (c == '"') break;
    if (c == '\\')
      take_escape(at, plain);
    else
      plain += c;
  }
  rest_.remove_prefix(at);
  return plain;
}

// Takes what stands behind a backslash.
void JsonLinesReader::take_escape(std::size_t& at, std::string& plain) {
  constexpr std::string_view kLetters = "\"\\/bfnrt";
  constexpr std::string_view kMeanings = "\"\\/\b\f\n\r\t";
  const auto fail = [&] {
    return lines_.error_at(rest_.data() + at - 1, "a backslash that begins no escape of JSON");
  };
  const auto unit = [&]() -> std::uint32_t {
    std::uint32_t value = 0;
    if (at + 5 > rest_.size() || rest_[at] != 'u') throw fail();
    const char* const digits = rest_.data() + at + 1;
    const auto [end, status] = std::from_chars(digits, digits + 4, value, 16);
    if (status != std::errc() || end != digits + 4) throw fail();
    at += 5;
    return value;
  };
  if (at == rest_.size()) throw fail();
  if (const std::size_t letter = kLetters.find(rest_[at]); letter != std::string_view::npos) {
    plain += kMeanings[letter];
    ++at;
    return;
  }
  std::uint32_t point = unit();
  if (point >= 0xD800 && point < 0xDC00 && rest_.substr(at).starts_with("\\u")) {
    ++at;
    const std::uint32_t low = unit();
    if (low < 0xDC00 || low >= 0xE000) throw fail();
    point = 0x10000 + ((point & 0x3FF) << 10) + (low & 0x3FF);
  }
  if (point == 0 || (point >= 0xD800 && point < 0xE000)) throw fail();
  append_utf8(point, plain);
}

void JsonLinesReader::rewind() {
  lines_.rewind();
  budget_.rewind();
}

RecordReader::Extent JsonLinesReader::extent() {
  const Extent all = lines_.extent(columns_.size());
  budget_.rewind();
  return all;
}

std::vector<std::string> JsonLinesReader::notes() const {
  std::vector<std::string> all = RecordReader::notes();
  std::vector<std::string> absent;
  for (std::size_t i = 0; i < columns_.size() && record_ > 0; ++i)
    if (!met_[i]) absent.push_back(columns_[i]);
  if (!absent.empty())
    all.push_back(fmt::format("{}: no object has the name(s) {}", name(), list_some(absent)));
  return all;
}

}  // namespace uaspl
