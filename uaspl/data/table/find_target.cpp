// Finds the class column, see find_target.hpp.
#include "uaspl/data/table/find_target.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <set>
#include <string>

#include "uaspl/base/text.hpp"
#include "uaspl/data/table/class_names.hpp"
#include "uaspl/data/table/schema.hpp"

namespace uaspl {
namespace {

constexpr std::size_t kLookedAt = 100000;  // records
constexpr std::size_t kMostNames = 50;     // different classes that a column may seem to have
constexpr std::size_t kMostCandidates = 8;

// Finds the class column by name or, if there is no such name, by place.
std::size_t named_target(const RecordReader& reader, const std::string& target) {
  const auto& columns = reader.columns();
  int place = 0;
  const auto [end, status] = std::from_chars(target.data(), target.data() + target.size(), place);
  const bool number = status == std::errc() && end == target.data() + target.size();
  if (!number || std::ranges::find(columns, target) != columns.end())
    return find_column(reader, target, "target");
  const auto count = static_cast<int>(columns.size());
  if (place < 0) place += count + 1;
  if (place < 1 || place > count)
    throw Error(
        fmt::format("{}: target: no column {}, there are {}", reader.name(), target, count));
  return static_cast<std::size_t>(place - 1);
}

bool is_usual_name(std::string_view name) {
  constexpr std::string_view kUsual[] = {"class", "label", "target", "y", "outcome"};
  std::string lower(name);
  for (char& c : lower)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return std::ranges::find(kUsual, lower) != std::end(kUsual);
}

// What a numbered name begins with: `f` of f12. Several such columns are features.
std::string_view stem(std::string_view name) {
  const std::size_t end = name.find_last_not_of("0123456789");
  return end + 1 == name.size() ? std::string_view() : name.substr(0, end + 1);
}

bool is_one_of_several(const std::vector<std::string>& columns, std::size_t place) {
  const std::string_view own = stem(columns[place]);
  if (own.empty()) return false;
  return std::ranges::count(columns, own, [](const std::string& name) { return stem(name); }) > 2;
}

// Few different values, each of which comes again: whole numbers, or texts.
class Look {
 public:
  void take(std::string_view cell) {
    const std::string_view name = class_name(cell);
    if (is_missing(name)) return;
    ++filled_;
    if (names_.size() > kMostNames || names_.contains(name)) return;
    double number = 0.0;
    if (parse_number(name, number) && std::floor(number) != number) fractions_ = true;
    names_.emplace(name);
  }
  bool measured() const { return fractions_; }  // numbers that are not whole
  bool like_classes() const {
    return !fractions_ && names_.size() >= 2 && names_.size() <= kMostNames &&
           filled_ >= 2 * names_.size();
  }
  // Columns of numbers, texts and mixed ones are told apart by this.
  std::string words() const {
    return names_.size() > kMostNames ? fmt::format("more than {} values", kMostNames)
                                      : fmt::format("{} values", names_.size());
  }

 private:
  std::set<std::string, std::less<>> names_;
  std::size_t filled_ = 0;
  bool fractions_ = false;
};

[[noreturn]] void fail(const RecordReader& reader, const std::vector<Look>& looks) {
  std::vector<std::string> candidates;
  for (std::size_t i = looks.size(); i > 0 && candidates.size() < kMostCandidates; --i)
    if (looks[i - 1].like_classes())
      candidates.push_back(
          fmt::format("'{}' ({})", printable(reader.columns()[i - 1]), looks[i - 1].words()));
  std::string text;
  for (const std::string& one : candidates) text += (text.empty() ? "" : ", ") + one;
  throw Error(fmt::format(
      "{}: it is not clear which column holds the classes, name the target; {}", reader.name(),
      candidates.empty() ? "no column looks like it; there are: " + list_some(reader.columns())
                         : "candidates: " + text));
}

// The columns that may be the class: neither dropped nor a weight.
std::vector<std::size_t> possible_targets(const RecordReader& reader, const LoadOptions& options) {
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < reader.columns().size(); ++i) {
    const std::string& name = reader.columns()[i];
    if (name != options.weight && std::ranges::find(options.drop, name) == options.drop.end())
      places.push_back(i);
  }
  return places;
}

std::size_t guessed_target(RecordReader& reader, const LoadOptions& options) {
  const auto& columns = reader.columns();
  const std::vector<std::size_t> possible = possible_targets(reader, options);
  std::vector<Look> looks(columns.size());
  for (std::size_t seen = 0; seen < kLookedAt && reader.next(); ++seen)
    for (const std::size_t i : possible) looks[i].take(reader.cells()[i]);
  reader.rewind();
  std::vector<std::size_t> usual;  // `y` may also be a coordinate
  for (const std::size_t i : possible)
    if (is_usual_name(columns[i]) && !looks[i].measured()) usual.push_back(i);
  if (usual.size() == 1) return usual.front();
  const auto fits = [&](std::size_t place) {
    return looks[place].like_classes() && !is_one_of_several(columns, place);
  };
  if (possible.empty()) fail(reader, looks);
  const bool first = fits(possible.front());
  const bool last = fits(possible.back());
  if (first == last) fail(reader, looks);
  return first ? possible.front() : possible.back();
}

}  // namespace

std::size_t find_target(RecordReader& reader, const LoadOptions& options) {
  if (!options.target.empty()) return named_target(reader, options.target);
  if (reader.target()) return *reader.target();
  return options.as_published || reader.columns().size() < 2 ? 0 : guessed_target(reader, options);
}

}  // namespace uaspl
