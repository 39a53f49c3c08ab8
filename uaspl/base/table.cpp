// Names that are not in a table, see table.hpp.
#include "uaspl/base/table.hpp"

#include <algorithm>

namespace uaspl {
namespace {

constexpr std::size_t kLongestGuess = 64;  // nobody mistypes a longer name

// Returns how many letters must be added, left out, replaced or swapped with their neighbour.
std::size_t changes_between(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> least(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i)
    for (std::size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        least[i][j] = i + j;
        continue;
      }
      const std::size_t replaced = least[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      least[i][j] = std::min({least[i - 1][j] + 1, least[i][j - 1] + 1, replaced});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        least[i][j] = std::min(least[i][j], least[i - 2][j - 2] + 1);
    }
  return least[a.size()][b.size()];
}

}  // namespace

std::string nearest_name(std::string_view name, std::span<const std::string> known) {
  if (name.size() > kLongestGuess) return "";
  std::string best;
  std::size_t fewest = std::max<std::size_t>(1, name.size() / 3) + 1;
  for (const std::string& one : known) {
    if (one.size() > kLongestGuess) continue;
    if (const std::size_t changes = changes_between(name, one); changes < fewest) {
      fewest = changes;
      best = one;
    }
  }
  return best;
}

std::string unknown_name(std::string_view kind, std::string_view name,
                         std::span<const std::string> known) {
  std::string text = "unknown " + std::string(kind) + " '" + std::string(name) + "'";
  if (const std::string near = nearest_name(name, known); !near.empty())
    text += " (did you mean '" + near + "'?)";
  text += "; known: ";
  for (const std::string& one : known) text += (&one == known.data() ? "" : ", ") + one;
  return text;
}

}  // namespace uaspl
