// The ARFF reader, see arff.hpp.
// https://waikato.github.io/weka-wiki/formats_and_processing/arff_stable/
#include "uaspl/data/table/arff.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>

#include "uaspl/base/text.hpp"
#include "uaspl/data/table/schema.hpp"

namespace uaspl {
namespace {

constexpr std::string_view kBlanks = " \t";
constexpr std::string_view kUsualDate = "yyyy-MM-dd'T'HH:mm:ss";

bool is_blank(char c) { return c == ' ' || c == '\t'; }
bool is_quote(char c) { return c == '\'' || c == '"'; }

std::string lower(std::string_view text) {
  std::string small(text);
  for (char& c : small)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return small;
}

// Takes a keyword, which ends before a blank or a bracket, off the text; in lower case.
std::string take_keyword(std::string_view& text) {
  const std::size_t end = std::min(text.find_first_of(" \t{"), text.size());
  std::string word = lower(text.substr(0, end));
  text = trim_blanks(text.substr(end));
  return word;
}

// What a letter behind a backslash stands for.
char escaped(char c) { return c == 'n' ? '\n' : c == 'r' ? '\r' : c == 't' ? '\t' : c; }

// Returns a character that is written \uABCD, or none.
std::uint32_t unicode_escape(std::string_view text) {
  std::uint32_t point = 0;
  if (text.size() < 5 || text[0] != 'u') return 0;
  const auto [end, status] = std::from_chars(text.data() + 1, text.data() + 5, point, 16);
  const bool character = status == std::errc() && end == text.data() + 5 && point != 0 &&
                         (point < 0xD800 || point >= 0xE000);
  return character ? point : 0;
}

}  // namespace

bool begins_arff(std::string_view line) {
  line = trim_blanks(line);
  const std::string word = take_keyword(line);
  return word == "@relation" || (word == "@attribute" && !line.empty());
}

ArffReader::ArffReader(Input& input) : RecordReader(input.name()), lines_(input) {
  read_header();
  choose_target();
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const ColumnHint& hint = hints_[i];
    const bool nominal = hint.kind == ColumnHint::Kind::kNominal;
    levels_.emplace_back(hint.levels.begin(), hint.levels.end());
    omitted_.push_back(hint.kind == ColumnHint::Kind::kNumber ? kZeroCell
                       : nominal && !hint.levels.empty()      ? hint.levels.front()
                                                              : kEmptyCell);
  }
  filled_.resize(columns_.size());
}

// Reads up to the line that begins the rows.
void ArffReader::read_header() {
  std::unordered_set<std::string> names;
  while (lines_.next()) {
    std::string_view rest = trim_blanks(lines_.line());
    if (rest.empty() || rest.front() == '%') continue;
    const std::string_view line = rest;
    const std::string word = take_keyword(rest);
    if (word == "@data") {
      if (columns_.empty()) throw lines_.error("the rows begin, and no attribute was declared");
      return;
    }
    if (word == "@attribute") {
      declare(rest);
      if (!names.insert(columns_.back()).second)
        throw lines_.error(fmt::format("a second attribute '{}'", printable(columns_.back())));
      if (columns_.size() > kMostColumns)
        throw lines_.error(fmt::format("more than {} attributes", kMostColumns));
    } else if (word != "@relation") {
      throw lines_.error(
          fmt::format("'{}', expected @attribute or @data", printable(line.substr(0, 40))));
    }
  }
  throw Error(fmt::format("{}: the file ends before the line @data", name()));
}

// Reads what follows @attribute: a name and a type.
void ArffReader::declare(std::string_view rest) {
  unescaped_.clear();
  if (rest.empty()) throw lines_.error("expected the name and the type of an attribute");
  std::string_view name;
  if (is_quote(rest.front())) {
    name = take_quoted(rest);
  } else {
    const std::size_t end = std::min(rest.find_first_of(" \t{"), rest.size());
    name = rest.substr(0, end);
    rest.remove_prefix(end);
  }
  if (name.empty()) throw lines_.error("an attribute without a name");
  columns_.emplace_back(name);
  read_type(trim_blanks(rest));
}

void ArffReader::read_type(std::string_view type) {
  using Kind = ColumnHint::Kind;
  ColumnHint& hint = hints_.emplace_back();
  if (type.starts_with('{')) {
    hint.kind = Kind::kNominal;
    read_levels(type.substr(1));
    return;
  }
  std::string_view rest = type;
  const std::string word = take_keyword(rest);
  const bool more = !rest.empty() && rest.front() != '%';
  if (word == "date") {
    hint.kind = Kind::kDate;
    unescaped_.clear();
    hint.date_format = !more ? kUsualDate : is_quote(rest.front()) ? take_quoted(rest) : rest;
    return;
  }
  if (word == "relational")
    throw lines_.error(
        fmt::format("attribute '{}' is relational, a table in a cell, which no column "
                    "of a table can be",
                    printable(columns_.back())));
  // Some programs write a range behind: `real [0, 1]`.
  if (word == "numeric" || word == "real" || word == "integer") {
    hint.kind = Kind::kNumber;
  } else if (word == "string" && !more) {
    hint.kind = Kind::kText;
  } else {
    throw lines_.error(fmt::format(
        "attribute '{}' has the type '{}', expected numeric, real, integer, string, date or the "
        "values in curly brackets",
        printable(columns_.back()), printable(type)));
  }
}

// Reads the values of a nominal attribute, behind the bracket.
void ArffReader::read_levels(std::string_view list) {
  ColumnHint& hint = hints_.back();
  std::unordered_set<std::string> seen;
  while (true) {
    unescaped_.clear();
    list = trim_blanks(list);
    if (list.starts_with('}') && hint.levels.empty()) break;
    const bool quoted = !list.empty() && is_quote(list.front());
    const std::string level(take_value(list, ",}"));
    if (level.empty() && !quoted)
      throw lines_.error(fmt::format("attribute '{}': an empty value, or no closing bracket",
                                     printable(columns_.back())));
    if (seen.insert(level).second) hint.levels.push_back(level);
    if (list.empty())
      throw lines_.error(
          fmt::format("attribute '{}': the bracket is not closed", printable(columns_.back())));
    if (list.front() == '}') break;
    list.remove_prefix(1);
  }
  list = trim_blanks(list.substr(1));
  if (!list.empty() && list.front() != '%')
    throw lines_.error(fmt::format("attribute '{}': '{}' behind the closing bracket",
                                   printable(columns_.back()), printable(list)));
}

void ArffReader::choose_target() {
  const auto is_class = [](const std::string& name) { return lower(name) == "class"; };
  const auto found = std::ranges::find_if(columns_, is_class);
  if (found != columns_.end())
    target_ = static_cast<std::size_t>(found - columns_.begin());
  else if (hints_.back().kind == ColumnHint::Kind::kNominal)
    target_ = columns_.size() - 1;
}

RecordReader::Extent ArffReader::extent_of_rows() {
  const Extent all = lines_.extent(columns_.size());
  rewind();
  return all;
}

void ArffReader::rewind() {
  lines_.rewind();
  budget_.rewind();
  while (lines_.next()) {
    std::string_view rest = trim_blanks(lines_.line());
    if (take_keyword(rest) == "@data") return;
  }
}

bool ArffReader::next() {
  while (lines_.next()) {
    const std::string_view text = trim_blanks(lines_.line());
    if (text.empty() || text.front() == '%') continue;
    line_ = lines_.number();
    has_room_ = lines_.has_room();
    unescaped_.clear();
    text.front() == '{' ? read_sparse(text.substr(1)) : read_dense(text);
    check_cells();
    return true;
  }
  return false;
}

// Values are between commas; where a line has none, between blanks.
void ArffReader::read_dense(std::string_view text) {
  const bool commas = columns_.size() == 1 || text.find(',') != std::string_view::npos;
  cells_.clear();
  while (true) {
    text = text.substr(std::min(text.find_first_not_of(kBlanks), text.size()));
    if (text.starts_with('{'))
      throw lines_.error_at(text.data(),
                            "the weight of a row in curly brackets, which is not read; expected an "
                            "attribute for weights");
    cells_.push_back(take_value(text, commas ? "," : kBlanks));
    if (!commas) text = trim_blanks(text);
    if (text.empty() || text.front() == '%') break;
    if (commas) text.remove_prefix(1);
  }
  if (cells_.size() != columns_.size())
    throw lines_.error(fmt::format("{} value(s), and {} attribute(s) are declared", cells_.size(),
                                   columns_.size()));
}

// Reads places and values behind the bracket: `0 12, 3 yes}`.
void ArffReader::read_sparse(std::string_view text) {
  budget_.take(columns_.size(), lines_);
  ++row_;
  cells_.assign(omitted_.begin(), omitted_.end());
  // The names of values have no room behind them.
  has_room_ = false;
  text = trim_blanks(text);
  while (!text.starts_with('}')) {
    read_place(text);
    text = trim_blanks(text);
    if (text.empty()) throw lines_.error("the bracket of the row is not closed");
    if (text.front() == ',') text = trim_blanks(text.substr(1));
  }
  text = trim_blanks(text.substr(1));
  if (!text.empty() && text.front() != '%')
    throw lines_.error_at(text.data(), text.front() == ','
                                           ? "the weight of a row, which is not read; expected an "
                                             "attribute for weights"
                                           : "text behind the closing bracket");
}

void ArffReader::read_place(std::string_view& text) {
  std::size_t place = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), place);
  const auto digits = static_cast<std::size_t>(end - text.data());
  if (status != std::errc() || digits == text.size() || !is_blank(text[digits]))
    throw lines_.error_at(text.data(), "expected the place of an attribute and its value");
  if (place >= columns_.size())
    throw lines_.error_at(text.data(), fmt::format("no attribute {}, the last of the {} is {}",
                                                   place, columns_.size(), columns_.size() - 1));
  if (filled_[place] == row_) throw error(place, "stands twice in the row");
  filled_[place] = row_;
  text = trim_blanks(text.substr(digits));
  cells_[place] = take_value(text, ",}");
}

// Takes a value off the text, which then is empty or begins with what ends the value, or with the
// comment that follows it.
std::string_view ArffReader::take_value(std::string_view& text, std::string_view ends) {
  text = text.substr(std::min(text.find_first_not_of(kBlanks), text.size()));
  if (!text.empty() && is_quote(text.front())) {
    const std::string_view value = take_quoted(text);
    const auto is_end = [&] {
      return text.empty() || text.front() == '%' ||
             ends.find(text.front()) != std::string_view::npos;
    };
    if (!is_end()) text = trim_blanks(text);
    if (!is_end()) throw lines_.error_at(text.data(), "text after a closing quote");
    return value;
  }
  std::size_t end = 0;
  while (end < text.size() && ends.find(text[end]) == std::string_view::npos &&
         !(text[end] == '%' && (end == 0 || is_blank(text[end - 1]))))
    ++end;
  const std::string_view value = trim_blanks(text.substr(0, end));
  text.remove_prefix(end);
  return value;
}

// Takes a text in quotes off, which a backslash may be in.
std::string_view ArffReader::take_quoted(std::string_view& text) {
  const char quote = text.front();
  const char set[] = {quote, '\\'};
  const std::string_view marks(set, 2);
  std::size_t end = text.find_first_of(marks, 1);
  if (end != std::string_view::npos && text[end] == quote) {
    const std::string_view value = text.substr(1, end - 1);
    text.remove_prefix(end + 1);
    return value;
  }
  std::string& plain = unescaped_.emplace_back();
  has_room_ = false;
  for (std::size_t from = 1;; end = text.find_first_of(marks, from)) {
    if (end == std::string_view::npos || end + 1 >= text.size() + (text[end] == quote ? 1 : 0))
      throw lines_.error_at(text.data(), "a quote opens here that is not closed in the line");
    plain += text.substr(from, end - from);
    if (text[end] == quote) break;
    const std::uint32_t point = unicode_escape(text.substr(end + 1));
    if (point != 0)
      append_utf8(point, plain);
    else
      plain += escaped(text[end + 1]);
    from = end + (point != 0 ? 6 : 2);
  }
  text.remove_prefix(end + 1);
  return plain;
}

void ArffReader::check_cells() {
  for (std::size_t i = 0; i < cells_.size(); ++i) {
    const std::string_view cell = cells_[i];
    double value = 0.0;
    if (hints_[i].kind == ColumnHint::Kind::kNumber) {
      if (!number(i, value) && !is_missing(cell))
        throw error(i, fmt::format("'{}' is not a number", printable(cell)));
    } else if (hints_[i].kind == ColumnHint::Kind::kNominal) {
      if (!levels_[i].contains(cell) && !is_missing(cell))
        throw error(i, fmt::format("'{}' is not among the declared values {}", printable(cell),
                                   list_some(hints_[i].levels)));
    }
  }
}

}  // namespace uaspl
