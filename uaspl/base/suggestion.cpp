// Suggestions, see suggestion.hpp.
#include "uaspl/base/suggestion.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "uaspl/base/text.hpp"

namespace uaspl {
namespace {

constexpr std::size_t kLongest = 100;  // longer names are not compared letter by letter

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return result;
}

// The number of letters to add, remove, change or swap with the next one (Damerau 1964).
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  std::vector<std::size_t> above = row;
  std::vector<std::size_t> two_above = row;
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::swap(two_above, above);
    std::swap(above, row);
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      row[j + 1] = std::min({row[j] + 1, above[j + 1] + 1, above[j] + (a[i] == b[j] ? 0 : 1)});
      const bool swapped = i > 0 && j > 0 && a[i] == b[j - 1] && a[i - 1] == b[j];
      if (swapped) row[j + 1] = std::min(row[j + 1], two_above[j - 1] + 1);
    }
  }
  return row.back();
}

}  // namespace

std::string nearest_name(std::string_view name, std::span<const std::string> candidates) {
  if (name.size() > kLongest) return "";
  const std::string wanted = lower(name);
  const std::size_t most = wanted.size() < 3 ? 0 : wanted.size() < 6 ? 1 : 2;
  std::size_t least = most + 1;
  const std::string* best = nullptr;
  for (const std::string& candidate : candidates) {
    if (candidate.size() > kLongest) continue;
    const std::string other = lower(candidate);
    const bool longer = wanted.size() >= 2 && other.starts_with(wanted);
    const std::size_t far =
        other == wanted ? 0 : std::min(distance(wanted, other), longer ? most : most + 1);
    if (far < least) least = far, best = &candidate;
  }
  return best ? *best : "";
}

std::string suggestion(std::string_view name, std::span<const std::string> candidates) {
  const std::string near = nearest_name(name, candidates);
  return near.empty() ? "" : fmt::format(" (did you mean '{}'?)", printable(near));
}

}  // namespace uaspl
