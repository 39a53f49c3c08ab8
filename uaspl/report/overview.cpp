// A short summary of runs, see overview.hpp.
#include "uaspl/report/overview.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace uaspl {

Overview::Overview(std::span<const RunRecord> runs) {
  std::map<std::pair<std::string, std::string>, std::vector<double>> values;
  for (const RunRecord& run : runs) {
    const std::string place = fmt::format("{} seed {}", run.key.dataset, run.key.seed);
    values[{run.key.dataset, run.key.method}].push_back(run.metrics.accuracy);
    if (run.diverged) diverged_[run.key.method].push_back(place);
    if (run.unseen_rows > 0) unseen_[run.key.method].push_back(place);
    if (run.stalled) stalled_[run.key.method].push_back(place);
  }
  for (const auto& [key, list] : values) accuracies_[key] = summarise(list);
}

Summary Overview::accuracy(const std::string& dataset, const std::string& method) const {
  const auto found = accuracies_.find({dataset, method});
  return found == accuracies_.end() ? Summary{} : found->second;
}

std::vector<MethodStanding> Overview::standings(std::span<const std::string> datasets,
                                                std::span<const std::string> methods) const {
  std::vector<std::vector<double>> means(methods.size());
  std::vector<std::vector<double>> places(methods.size());
  std::vector<MethodStanding> all(methods.size());
  for (const std::string& dataset : datasets) {
    std::vector<double> own;
    for (const std::string& method : methods)
      if (const Summary s = accuracy(dataset, method); s.count > 0) own.push_back(s.mean);
    if (own.size() != methods.size()) continue;
    const std::vector<double> order = ranks(own, Best::kHighest);
    const double highest = std::ranges::max(own);
    for (std::size_t m = 0; m < methods.size(); ++m) {
      means[m].push_back(own[m]);
      places[m].push_back(order[m]);
      all[m].best += own[m] == highest ? 1 : 0;
    }
  }
  for (std::size_t m = 0; m < methods.size(); ++m) {
    all[m].datasets = means[m].size();
    all[m].mean = summarise(means[m]).mean;
    all[m].rank = summarise(places[m]).mean;
  }
  return all;
}

std::vector<Overview::Oddity> Overview::oddities() const {
  std::vector<Oddity> all;
  const auto add = [&](const RunsByMethod& runs, const std::string& what) {
    for (const auto& [method, places] : runs) all.push_back({method, what, places});
  };
  add(diverged_, "diverged (a loss was not finite) and are kept as they are");
  add(unseen_, "had test rows of a class that the training half lacks; they count as wrong");
  add(stalled_,
      "ended with rows that have no evidence and so no gradient; the method's option "
      "evidence=softplus avoids that");
  return all;
}

}  // namespace uaspl
