// Prints an overview of runs, see overview.hpp.
#include "cli/overview.hpp"
#include "uaspl/io/json_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "cli/note.hpp"
#include "uaspl/base/text.hpp"

namespace uaspl::cli {
namespace {

using Names = std::span<const std::string>;

constexpr std::size_t kMostBeside = 7;  // most methods or data sets beside each other
constexpr std::size_t kCell = 15;       // "0.9888 ± 0.0159"

std::string cell(const Summary& s) {
  return s.count == 0 ? "-" : fmt::format("{:.4f} ± {:.4f}", s.mean, s.deviation);
}

std::size_t width(std::string_view title) { return std::max(printable(title).size(), kCell); }

std::size_t longest(Names names, std::size_t least) {
  for (const std::string& name : names) least = std::max(least, printable(name).size());
  return least;
}

std::string without_trailing_blanks(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

void print_by_dataset(std::FILE* out, const Overview& overview, Names datasets, Names methods) {
  const std::size_t name_width = longest(datasets, std::string("data set").size());
  fmt::print(out, "{:<{}}", "data set", name_width);
  for (const std::string& method : methods)
    fmt::print(out, "  {:>{}}", printable(method), width(method));
  std::vector<std::vector<double>> means(methods.size());
  for (const std::string& dataset : datasets) {
    fmt::print(out, "\n{:<{}}", printable(dataset), name_width);
    for (std::size_t m = 0; m < methods.size(); ++m) {
      const Summary s = overview.accuracy(dataset, methods[m]);
      if (s.count > 0) means[m].push_back(s.mean);
      fmt::print(out, "  {:>{}}", cell(s), width(methods[m]));
    }
  }
  std::string line = fmt::format("{:<{}}", "mean", name_width);
  for (std::size_t m = 0; m < methods.size(); ++m) {
    const std::string mean =
        means[m].empty() ? "-" : fmt::format("{:.4f}", summarise(means[m]).mean);
    line += fmt::format("  {:>{}}{:9}", mean, width(methods[m]) - 9, "");
  }
  fmt::print(out, "\n{}\n", without_trailing_blanks(line));
}

// Only data sets that every method has finished count for the standings.
void print_by_method(std::FILE* out, const Overview& overview, Names datasets, Names methods) {
  const std::vector<MethodStanding> standings = overview.standings(datasets, methods);
  const std::size_t name_width = longest(methods, 0);
  const bool show_datasets = datasets.size() <= kMostBeside;
  fmt::print(out, "{:<{}}    mean   rank  best", "method", name_width);
  if (show_datasets)
    for (const std::string& dataset : datasets)
      fmt::print(out, "  {:>{}}", printable(dataset), width(dataset));
  fmt::print(out, "\n");
  for (std::size_t m = 0; m < methods.size(); ++m) {
    const MethodStanding& own = standings[m];
    fmt::print(out, "{:<{}}", printable(methods[m]), name_width);
    if (own.datasets == 0) {
      fmt::print(out, "{:>8}{:>7}{:>6}", "-", "-", "-");
    } else {
      fmt::print(out, "  {:.4f}{:>7.2f}{:>6}", own.mean, own.rank, own.best);
    }
    if (show_datasets)
      for (const std::string& dataset : datasets)
        fmt::print(out, "  {:>{}}", cell(overview.accuracy(dataset, methods[m])), width(dataset));
    fmt::print(out, "\n");
  }
}

// Results of unequal numbers of runs stand side by side where a bench was interrupted.
void print_unequal(std::FILE* out, const Overview& overview, Names datasets, Names methods) {
  constexpr std::size_t kMostNamed = 5;
  std::size_t most = 0;
  for (const auto& [key, s] : overview.accuracies()) most = std::max(most, s.count);
  std::vector<std::string> fewer;
  for (const std::string& dataset : datasets)
    for (const std::string& method : methods)
      if (const std::size_t runs = overview.accuracy(dataset, method).count; runs < most)
        fewer.push_back(fmt::format("{} on {} {}", printable(method), printable(dataset), runs));
  if (fewer.empty()) return;
  const std::size_t shown = std::min(fewer.size(), kMostNamed);
  fmt::print(out, "not all have {} runs: {}{}\n", most,
             fmt::join(fewer.begin(), fewer.begin() + static_cast<std::ptrdiff_t>(shown), ", "),
             shown < fewer.size() ? fmt::format(" and {} more", fewer.size() - shown) : "");
}

}  // namespace

void print_table(std::FILE* out, const Overview& overview, Names datasets, Names methods) {
  if (methods.size() <= kMostBeside) {
    print_by_dataset(out, overview, datasets, methods);
  } else {
    print_by_method(out, overview, datasets, methods);
  }
  print_unequal(out, overview, datasets, methods);
}

void print_json(std::FILE* out, const Overview& overview) {
  for (const auto& [key, s] : overview.accuracies()) {
    const nlohmann::ordered_json line = {{"dataset", key.first},
                                         {"method", key.second},
                                         {"runs", s.count},
                                         {"accuracy", s.mean},
                                         {"deviation", s.deviation}};
    fmt::print(out, "{}\n", json_text(line));
  }
}

void print_warnings(const Overview& overview) {
  for (const Overview::Oddity& odd : overview.oddities()) {
    const std::size_t shown = std::min<std::size_t>(odd.runs.size(), 5);
    note("warning: {}: {} run(s) {}: {}{}", odd.method, odd.runs.size(), odd.what,
         fmt::join(odd.runs.begin(), odd.runs.begin() + static_cast<std::ptrdiff_t>(shown), ", "),
         shown < odd.runs.size() ? ", ..." : "");
  }
}

}  // namespace uaspl::cli
