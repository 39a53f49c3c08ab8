// The libsvm reader, see libsvm.hpp.
#include "uaspl/data/table/libsvm.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <unordered_set>

#include "uaspl/base/text.hpp"

namespace uaspl {
namespace {

constexpr std::size_t kNoColumn = static_cast<std::size_t>(-1);

// Takes the next word off the text.
std::string_view take_word(std::string_view& text) {
  text = trim_blanks(text);
  const std::size_t end = std::min(text.find_first_of(" \t"), text.size());
  const std::string_view word = text.substr(0, end);
  text.remove_prefix(end);
  return word;
}

std::string_view without_comment(std::string_view line) {
  return trim_blanks(line.substr(0, line.find('#')));
}

std::optional<std::uint32_t> place_of(std::string_view digits) {
  std::uint32_t place = 0;
  const auto [end, status] = std::from_chars(digits.data(), digits.data() + digits.size(), place);
  if (status != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return place;
}

}  // namespace

Likeness likeness_to_libsvm(std::string_view line) {
  line = without_comment(line);
  if (line.empty()) return Likeness::kMaybe;
  if (!parse_number(take_word(line))) return Likeness::kNo;
  bool pairs = false;
  while (!trim_blanks(line).empty()) {
    const std::string_view word = take_word(line);
    const std::size_t colon = word.find(':');
    if (colon == std::string_view::npos || !parse_number(word.substr(colon + 1)))
      return Likeness::kNo;
    const std::string_view place = word.substr(0, colon);
    if (place != "qid" && !place_of(place)) return Likeness::kNo;
    pairs = true;
  }
  return pairs ? Likeness::kYes : Likeness::kMaybe;
}

LibsvmReader::LibsvmReader(Input& input, const TableFormat& format)
    : RecordReader(input.name()), lines_(input) {
  if (format.expected.empty()) {
    find_places();
  } else {
    for (const std::string& name : format.expected)
      if (const auto place = place_of(std::string_view(name).substr(name.starts_with('f') ? 1 : 0));
          place && name == fmt::format("f{}", *place))
        places_.push_back(*place);
    std::ranges::sort(places_);
    places_.erase(std::unique(places_.begin(), places_.end()), places_.end());
  }
  columns_.emplace_back("label");
  for (const std::uint32_t place : places_) columns_.push_back(fmt::format("f{}", place));
  hints_.resize(columns_.size(), {.kind = ColumnHint::Kind::kNumber});
  hints_[0].kind = ColumnHint::Kind::kNone;
  target_ = 0;
  filled_.resize(columns_.size());
  cells_.resize(columns_.size());
}

void LibsvmReader::find_places() {
  std::unordered_set<std::uint32_t> seen;
  while (next_line()) {
    take_label();
    Pair pair{};
    while (take_pair(pair)) {
      seen.insert(pair.place);
      if (seen.size() > kMostColumns)
        throw lines_.error(fmt::format("more than {} different places", kMostColumns));
    }
  }
  places_.assign(seen.begin(), seen.end());
  std::ranges::sort(places_);
  lines_.rewind();
}

bool LibsvmReader::next_line() {
  while (lines_.next()) {
    rest_ = without_comment(lines_.line());
    if (!rest_.empty()) return true;
  }
  return false;
}

std::string_view LibsvmReader::take_label() {
  std::string_view label = take_word(rest_);
  if (!parse_number(label))
    throw lines_.error_at(label.data(), fmt::format("'{}', expected the label, a number, before "
                                                    "the values",
                                                    printable(label)));
  if (label.starts_with('+')) label.remove_prefix(1);
  return label;
}

// Takes the next place and value of the line.
bool LibsvmReader::take_pair(Pair& pair) {
  while (!(rest_ = trim_blanks(rest_)).empty()) {
    const std::string_view word = take_word(rest_);
    const std::size_t colon = std::min(word.find(':'), word.size());
    pair.value = word.substr(std::min(colon + 1, word.size()));
    if (word.substr(0, colon) == "qid") {
      has_groups_ = true;
      continue;
    }
    const auto place = place_of(word.substr(0, colon));
    if (!place || colon == word.size())
      throw lines_.error_at(
          word.data(),
          fmt::format("'{}', expected a place and a value, as in 3:0.5", printable(word)));
    pair.place = *place;
    return true;
  }
  return false;
}

// Returns the column of a place. It is most often the one after that of the place before.
std::size_t LibsvmReader::column_of(std::uint32_t place, std::size_t guess) const {
  if (guess < places_.size() && places_[guess] == place) return guess + 1;
  const auto found = std::ranges::lower_bound(places_, place);
  if (found == places_.end() || *found != place) return kNoColumn;
  return static_cast<std::size_t>(found - places_.begin()) + 1;
}

bool LibsvmReader::next() {
  if (!next_line()) return false;
  line_ = lines_.number();
  has_room_ = lines_.has_room();
  budget_.take(columns_.size(), lines_);
  ++record_;
  cells_[0] = take_label();
  std::fill(cells_.begin() + 1, cells_.end(), kZeroCell);
  std::size_t column = 0;
  Pair pair{};
  while (take_pair(pair)) {
    const std::size_t found = column_of(pair.place, column);
    if (found == kNoColumn) continue;
    column = found;
    if (filled_[column] == record_) throw error(column, "stands twice in the line");
    filled_[column] = record_;
    cells_[column] = pair.value;
    double value = 0.0;
    if (!number(column, value) && !pair.value.empty())
      throw error(column, fmt::format("'{}' is not a number", printable(pair.value)));
    if (pair.value.empty()) throw error(column, "no value behind the colon");
  }
  return true;
}

void LibsvmReader::rewind() {
  lines_.rewind();
  budget_.rewind();
}

RecordReader::Extent LibsvmReader::extent() {
  const Extent all = lines_.extent(columns_.size());
  budget_.rewind();
  return all;
}

std::vector<std::string> LibsvmReader::notes() const {
  std::vector<std::string> all = RecordReader::notes();
  if (has_groups_) all.push_back(fmt::format("{}: groups (qid) are not used", name()));
  return all;
}

}  // namespace uaspl
