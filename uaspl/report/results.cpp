// Groups runs into tables, see results.hpp.
#include "uaspl/report/results.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

#include "uaspl/base/error.hpp"
#include "uaspl/io/json.hpp"
#include "uaspl/method/suitable.hpp"
#include "uaspl/study/experiment.hpp"

namespace uaspl {
namespace {

nlohmann::json parse(const std::string& configuration) {
  try {
    nlohmann::json all = parse_json(configuration);
    if (!all.is_object()) throw Error("not an object");
    return all;
  } catch (const Error& error) {
    throw Error(fmt::format("the configuration of a stored run: {}", error.what()));
  }
}

std::string plain(const nlohmann::json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

const MethodInfo* known_method(const std::string& name) {
  const auto found = std::ranges::find(methods(), name, &MethodInfo::name);
  return found == methods().end() ? nullptr : &*found;
}

// Returns the place of a method in the table of methods; one that is not in it comes last.
std::size_t place(const std::string& label) {
  const MethodInfo* info = known_method(label.substr(0, label.find(' ')));
  const auto at =
      std::ranges::find_if(methods(), [&](const MethodInfo& one) { return &one == info; });
  return static_cast<std::size_t>(at - methods().begin());
}

// Returns a name for each content: the first of its names, with a part of its hash if another
// content has that name too.
std::map<std::string, std::string> dataset_labels(std::span<const RunRecord> runs) {
  std::map<std::string, std::string> names;  // by content
  for (const RunRecord& run : runs) {
    const auto [at, added] = names.emplace(run.key.data_sha256, run.key.dataset);
    if (!added) at->second = std::min(at->second, run.key.dataset);
  }
  std::map<std::string, int> uses;
  for (const auto& [sha256, name] : names) ++uses[name];
  for (auto& [sha256, name] : names)
    if (uses[name] > 1) name += fmt::format(" ({})", sha256.substr(0, 8));
  return names;
}

std::vector<std::uint32_t> seeds(std::span<const RunRecord* const> runs) {
  std::vector<std::uint32_t> all;
  for (const RunRecord* run : runs) all.push_back(run->key.seed);
  return all;
}

template <typename Value>
std::size_t index_of(const std::vector<Value>& values, const Value& value) {
  return static_cast<std::size_t>(std::ranges::find(values, value) - values.begin());
}

}  // namespace

std::string method_label(const RunKey& key) {
  const nlohmann::json options = parse(key.configuration).value("method", nlohmann::json::object());
  const MethodInfo* info = known_method(key.method);
  std::optional<ChosenMethod> usual;  // for this data set
  if (info) usual = suited_to_images({info, Settings(info->options)}, key.dataset);
  std::string label = key.method;
  for (const auto& [name, value] : options.items()) {
    const bool known =
        info && std::ranges::find(info->options, name, &Option::name) != info->options.end();
    if (!known || usual->settings.text(name) != plain(value))
      label += fmt::format(" {}={}", name, plain(value));
  }
  return label;
}

std::string variant_label(const RunKey& key) {
  const ChosenMethod direct{&find_method("direct"), Settings({})};
  const nlohmann::json own = parse(key.configuration);
  const std::string network = member(own, "network", std::string());
  const nlohmann::json usual = parse(
      configuration(direct, network.empty() ? ExperimentOptions()
                                            : image_protocol(find_image_profile("full"), network)));
  std::vector<std::string> words;
  if (!network.empty()) words.push_back("network " + network);
  for (const auto& [name, value] : own.items()) {
    if (name == "method" || name == "imported" || usual.value(name, nlohmann::json()) == value)
      continue;
    if (name == "noise" && value.is_object()) {
      words.push_back(fmt::format("noise {} {}", plain(value.value("kind", nlohmann::json("?"))),
                                  plain(value.value("ratio", nlohmann::json(0)))));
      if (member(value, "clean_pretraining", false)) words.back() += " after clean pre-training";
    } else if (value == true) {
      words.push_back(name);
    } else if (name == "class_weight") {
      words.push_back("class weights " + plain(value));
    } else {
      words.push_back(fmt::format("{} {}", name, plain(value)));
    }
  }
  return fmt::format("{}", fmt::join(words, ", "));
}

std::vector<ResultsTable> tabulate(std::span<const RunRecord> runs, const RankRule& rule) {
  // Many runs have the same labels, so they are made once for each configuration.
  std::map<std::pair<std::string, std::string>, std::pair<std::string, std::string>> labels;
  std::map<std::string, ResultsTable> tables;
  const auto label = [&](const RunKey& key) -> const auto& {
    auto& found = labels[{key.dataset + "/" + key.method, key.configuration}];
    if (found.second.empty()) found = {variant_label(key), method_label(key)};
    return found;
  };
  const auto add = [](std::vector<std::string>& names, const std::string& name) {
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  };
  const std::map<std::string, std::string> names = dataset_labels(runs);
  for (const RunRecord& run : runs) {
    ResultsTable& table = tables[label(run.key).first];
    add(table.datasets, names.at(run.key.data_sha256));
    add(table.methods, label(run.key).second);
  }
  for (auto& [variant, table] : tables) {
    table.variant = variant;
    table.rule = rule;
    std::ranges::sort(table.datasets);
    std::ranges::stable_sort(table.methods);
    std::ranges::stable_sort(table.methods, {}, place);
  }
  for (const RunRecord& run : runs) {
    ResultsTable& table = tables[label(run.key).first];
    table
        .cells_[{index_of(table.datasets, names.at(run.key.data_sha256)),
                 index_of(table.methods, label(run.key).second)}]
        .push_back(&run);
  }
  for (auto& [variant, table] : tables)  // one content may have had several names
    for (auto& [place, cell] : table.cells_)
      std::ranges::stable_sort(cell, {}, [](const RunRecord* run) { return run->key.seed; });
  std::vector<ResultsTable> all;
  for (auto& [variant, table] : tables) all.push_back(std::move(table));
  // Puts the usual protocol first, then sorts by how much differs.
  std::ranges::stable_sort(all, {}, [](const ResultsTable& table) {
    return table.variant.empty() ? 0 : 1 + std::ranges::count(table.variant, ' ');
  });
  return all;
}

std::span<const RunRecord* const> ResultsTable::runs(std::size_t dataset,
                                                     std::size_t method) const {
  const auto found = cells_.find({dataset, method});
  if (found == cells_.end()) return {};
  return found->second;
}

Summary ResultsTable::summary(const MetricInfo& metric, std::size_t dataset,
                              std::size_t method) const {
  std::vector<double> values;
  for (const RunRecord* run : runs(dataset, method)) values.push_back(metric.value(*run));
  return summarise(values);
}

std::vector<std::size_t> ResultsTable::complete() const {
  std::vector<std::size_t> places;
  for (std::size_t d = 0; d < datasets.size(); ++d) {
    const std::vector<std::uint32_t> first = seeds(runs(d, 0));
    bool same = !first.empty();
    for (std::size_t m = 1; m < methods.size(); ++m) same = same && seeds(runs(d, m)) == first;
    for (std::size_t m = 0; same && m < methods.size(); ++m)
      same = summary(kMetrics[0], d, m).count > 0;
    if (same) places.push_back(d);
  }
  return places;
}

DoubleMatrix ResultsTable::means(const MetricInfo& metric) const {
  const std::vector<std::size_t> places = complete();
  DoubleMatrix values(places.size(), methods.size());
  for (std::size_t i = 0; i < places.size(); ++i)
    for (std::size_t m = 0; m < methods.size(); ++m)
      values(i, m) = rounded(summary(metric, places[i], m).mean);
  return values;
}

std::vector<Standing> ResultsTable::standings(const MetricInfo& metric) const {
  return standings(metric, complete());
}

std::vector<Standing> ResultsTable::standings(const MetricInfo& metric,
                                              std::span<const std::size_t> places) const {
  std::vector<Standing> all(methods.size());
  const auto count = static_cast<double>(places.size());
  for (std::size_t i = 0; i < places.size(); ++i) {
    std::vector<double> values;
    std::vector<double> deviations;
    for (std::size_t m = 0; m < all.size(); ++m) {
      const Summary one = summary(metric, places[i], m);
      values.push_back(rounded(one.mean));
      deviations.push_back(rounded(one.deviation));
    }
    const std::vector<double> order = ranks(values, Best::kHighest, rule.ties, rule.decimals);
    const std::vector<double> steady = ranks(deviations, Best::kLowest, rule.ties, rule.decimals);
    const double first = std::ranges::min(order);
    const double steadiest = std::ranges::min(steady);
    for (std::size_t m = 0; m < all.size(); ++m) {
      all[m].mean += values[m] / count;
      all[m].deviation += deviations[m] / count;
      all[m].rank += order[m] / count;
      all[m].deviation_rank += steady[m] / count;
      all[m].best += order[m] == first ? 1 : 0;
      all[m].deviation_best += steady[m] == steadiest ? 1 : 0;
    }
  }
  return all;
}

std::string RankRule::text() const {
  std::string text = "Rank 1 is the best mean; equal means ";
  switch (ties) {
    case Ties::kAverage: text += "share the average of their ranks."; break;
    case Ties::kMinimum: text += "all have the best of their ranks."; break;
    case Ties::kDense: text += "have one rank, and the next one follows it."; break;
  }
  if (decimals) text += fmt::format(" Means are rounded to {} decimals before.", *decimals);
  return text +
         " Best counts the data sets where a method has or shares the best mean. Only data sets "
         "count for which every method has runs with the same seeds.";
}

}  // namespace uaspl
