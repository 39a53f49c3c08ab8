// What is recorded of a run besides its results, see run_facts.hpp.
#include "uaspl/study/run_facts.hpp"

#include <algorithm>
#include <ctime>
#include <map>
#include <set>

namespace uaspl {

std::size_t count_unseen(std::span<const int> train, std::span<const int> test) {
  const std::set<int> seen(train.begin(), train.end());
  return static_cast<std::size_t>(
      std::ranges::count_if(test, [&](int label) { return !seen.contains(label); }));
}

double class_ratio(std::span<const int> labels) {
  std::map<int, std::size_t> counts;
  for (const int label : labels) ++counts[label];
  std::size_t fewest = labels.size();
  std::size_t most = 0;
  for (const auto& [label, count] : counts) {
    fewest = std::min(fewest, count);
    most = std::max(most, count);
  }
  return static_cast<double>(most) / static_cast<double>(fewest);
}

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[32];
  return {text, std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts)};
}

}  // namespace uaspl
