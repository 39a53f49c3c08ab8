// What `uaspl bench` prints when the runs are done, see overview.hpp.
#include "cli/overview.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace uaspl::cli {
namespace {

constexpr std::size_t kMostBeside = 7;  // methods or data sets beside each other
constexpr std::size_t kCell = 15;       // "0.9888 ± 0.0159"

std::string cell(const Summary& s) {
  return s.count == 0 ? "-" : fmt::format("{:.4f} ± {:.4f}", s.mean, s.deviation);
}

std::size_t width(std::string_view title) { return std::max(title.size(), kCell); }

std::string without_trailing_blanks(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

// Mean over the data sets, average rank, and on how many data sets a method is the best.
struct Standing {
  std::vector<double> means;
  std::vector<double> ranks;
  std::size_t best = 0;
};

void add_dataset(std::span<const double> accuracies, std::vector<Standing>& standings) {
  const std::vector<double> places = ranks(accuracies, Best::kHighest);
  const double highest = std::ranges::max(accuracies);
  for (std::size_t m = 0; m < standings.size(); ++m) {
    standings[m].means.push_back(accuracies[m]);
    standings[m].ranks.push_back(places[m]);
    standings[m].best += accuracies[m] == highest ? 1 : 0;
  }
}

}  // namespace

void Overview::add(const RunRecord& run) {
  const std::string place = fmt::format("{} seed {}", run.key.dataset, run.key.seed);
  accuracies_[{run.key.dataset, run.key.method}].push_back(run.metrics.accuracy);
  if (run.diverged) diverged_[run.key.method].push_back(place);
  if (run.stalled) stalled_[run.key.method].push_back(place);
  if (run.unseen_rows > 0) unseen_[run.key.method].push_back(place);
}

Summary Overview::summary(const Dataset& data, const ChosenMethod& method) const {
  const auto found = accuracies_.find({data.name, std::string(method.info->name)});
  return found == accuracies_.end() ? Summary{} : summarise(found->second);
}

void Overview::print_table(std::FILE* out, std::span<const Dataset> datasets,
                           std::span<const ChosenMethod> chosen) const {
  if (chosen.size() <= kMostBeside) {
    print_by_dataset(out, datasets, chosen);
  } else {
    print_by_method(out, datasets, chosen);
  }
}

void Overview::print_by_dataset(std::FILE* out, std::span<const Dataset> datasets,
                                std::span<const ChosenMethod> chosen) const {
  std::size_t name_width = std::string("data set").size();
  for (const Dataset& data : datasets) name_width = std::max(name_width, data.name.size());
  fmt::print(out, "{:<{}}", "data set", name_width);
  for (const ChosenMethod& method : chosen)
    fmt::print(out, "  {:>{}}", method.info->name, width(method.info->name));
  std::vector<std::vector<double>> means(chosen.size());
  for (const Dataset& data : datasets) {
    fmt::print(out, "\n{:<{}}", data.name, name_width);
    for (std::size_t m = 0; m < chosen.size(); ++m) {
      const Summary s = summary(data, chosen[m]);
      if (s.count > 0) means[m].push_back(s.mean);
      fmt::print(out, "  {:>{}}", cell(s), width(chosen[m].info->name));
    }
  }
  std::string line = fmt::format("{:<{}}", "mean", name_width);
  for (std::size_t m = 0; m < chosen.size(); ++m) {
    const std::string mean =
        means[m].empty() ? "-" : fmt::format("{:.4f}", summarise(means[m]).mean);
    line += fmt::format("  {:>{}}{:9}", mean, width(chosen[m].info->name) - 9, "");
  }
  fmt::print(out, "\n{}\n", without_trailing_blanks(line));
}

// Only data sets that every method has finished count for the standings.
void Overview::print_by_method(std::FILE* out, std::span<const Dataset> datasets,
                               std::span<const ChosenMethod> chosen) const {
  std::vector<Standing> standings(chosen.size());
  std::size_t name_width = 0;
  for (const ChosenMethod& method : chosen)
    name_width = std::max(name_width, method.info->name.size());
  for (const Dataset& data : datasets) {
    std::vector<double> accuracies;
    for (const ChosenMethod& method : chosen)
      if (const Summary s = summary(data, method); s.count > 0) accuracies.push_back(s.mean);
    if (accuracies.size() == chosen.size()) add_dataset(accuracies, standings);
  }
  const bool show_datasets = datasets.size() <= kMostBeside;
  fmt::print(out, "{:<{}}    mean   rank  best", "method", name_width);
  if (show_datasets)
    for (const Dataset& data : datasets) fmt::print(out, "  {:>{}}", data.name, width(data.name));
  fmt::print(out, "\n");
  for (std::size_t m = 0; m < chosen.size(); ++m) {
    const Standing& own = standings[m];
    fmt::print(out, "{:<{}}", chosen[m].info->name, name_width);
    if (own.means.empty()) {
      fmt::print(out, "{:>8}{:>7}{:>6}", "-", "-", "-");
    } else {
      fmt::print(out, "  {:.4f}{:>7.2f}{:>6}", summarise(own.means).mean, summarise(own.ranks).mean,
                 own.best);
    }
    if (show_datasets)
      for (const Dataset& data : datasets)
        fmt::print(out, "  {:>{}}", cell(summary(data, chosen[m])), width(data.name));
    fmt::print(out, "\n");
  }
}

void Overview::print_json(std::FILE* out) const {
  for (const auto& [key, values] : accuracies_) {
    const Summary s = summarise(values);
    const nlohmann::ordered_json line = {{"dataset", key.first},
                                         {"method", key.second},
                                         {"runs", s.count},
                                         {"accuracy", s.mean},
                                         {"deviation", s.deviation}};
    fmt::print(out, "{}\n", line.dump());
  }
}

void Overview::print_warnings() const {
  const auto print = [](const auto& runs, std::string_view what) {
    for (const auto& [method, places] : runs) {
      const std::size_t shown = std::min<std::size_t>(places.size(), 5);
      fmt::print(
          stderr, "warning: {}: {} run(s) {}: {}{}\n", method, places.size(), what,
          fmt::join(places.begin(), places.begin() + static_cast<std::ptrdiff_t>(shown), ", "),
          shown < places.size() ? ", ..." : "");
    }
  };
  print(diverged_, "diverged (a loss was not finite) and are kept as they are");
  print(unseen_, "had test rows of a class that the training half lacks; they count as wrong");
  print(stalled_,
        "ended with rows that have no evidence and so no gradient; "
        "--set METHOD.evidence=softplus avoids that");
}

}  // namespace uaspl::cli
