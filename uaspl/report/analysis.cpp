// Computes what figures and the smaller tables show, see analysis.hpp.
#include "uaspl/report/analysis.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <set>

#include "uaspl/io/json.hpp"
#include "uaspl/method/registry.hpp"
#include "uaspl/train/training_options.hpp"

namespace uaspl {
namespace {

constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();

// Returns the mean of the finite values.
double mean(std::span<const double> values) {
  const Summary all = summarise(values);
  return all.count == 0 ? kNothing : all.mean;
}

// Whether a method is known to take all rows in every stage, or is not known at all.
bool may_take_all(const std::string& method) {
  const auto found = std::ranges::find(methods(), method, &MethodInfo::name);
  return found == methods().end() || !found->has_stages() ||
         found->make(Settings(found->options))->take() == Selection::kAll;
}

// Older programs recorded the mean of the first stage's rows alone, or of the easiest quarter for
// methods that take all rows: where there is a selection, it is what the paper defines.
double variation_of(const StageRecord& stage, const VariationKind& kind, bool takes_all) {
  const bool older = kind.name == kVariations[0].name && std::isnan(stage.train_accuracy);
  return older && !takes_all ? stage.loss_variation : kind.value(stage);
}

std::vector<double> variation_by_round(std::span<const RunRecord* const> runs,
                                       const VariationKind& kind) {
  const bool takes_all = runs.empty() || may_take_all(runs.front()->key.method);
  std::vector<std::vector<double>> values;
  for (const RunRecord* run : runs)
    for (const StageRecord& stage : run->stages) {
      const auto round = static_cast<std::size_t>(std::max(0, stage.stage));
      if (round >= run->stages.size()) continue;  // not written by this library
      if (values.size() <= round) values.resize(round + 1);
      values[round].push_back(variation_of(stage, kind, takes_all));
    }
  std::vector<double> means;
  for (const std::vector<double>& round : values) means.push_back(mean(round));
  return means;
}

// One point of a sweep: a table and where it stands on the axis.
struct Point {
  double at;
  const ResultsTable* table;
};

struct Axis {
  std::string title;
  std::string name;
  std::vector<Point> points;
};

nlohmann::json conditions(const ResultsTable& table) {
  nlohmann::json all;
  for (std::size_t d = 0; d < table.datasets.size() && all.is_null(); ++d)
    for (std::size_t m = 0; m < table.methods.size() && all.is_null(); ++m)
      if (!table.runs(d, m).empty()) all = parse_json(table.runs(d, m).front()->key.configuration);
  if (!all.is_object()) all = nlohmann::json::object();
  all.erase("method");
  all.erase("imported");  // they stand beside ours
  return all;
}

// Returns the addition to a title if not all other conditions are the usual ones.
std::string rest_label(nlohmann::json rest) {
  const std::string label = variant_label(
      {.dataset = {}, .data_sha256 = {}, .method = {}, .configuration = rest.dump(), .seed = 0});
  return label.empty() ? "" : ", " + label;
}

void add_noise_axes(std::span<const ResultsTable> tables, std::vector<Axis>& axes) {
  std::map<std::string, Axis> found;  // by the other conditions and the kind
  std::map<std::string, const ResultsTable*> clean;
  std::map<std::string, std::string> others;
  for (const ResultsTable& table : tables) {
    nlohmann::json rest = conditions(table);
    const nlohmann::json noise = rest.value("noise", nlohmann::json());
    rest.erase("noise");
    if (!noise.is_object()) {
      clean[rest.dump()] = &table;
      continue;
    }
    const bool before = member(noise, "clean_pretraining", false);
    const std::string kind = member<std::string>(noise, "kind", "?");
    const std::string key = rest.dump() + kind + (before ? "1" : "0");
    Axis& axis = found[key];
    axis.title = kind + " noise" + (before ? " after clean pre-training" : "") + rest_label(rest);
    axis.name = "ratio of wrong labels";
    axis.points.push_back({member(noise, "ratio", 0.0), &table});
    others[key] = rest.dump();
  }
  for (auto& [key, axis] : found) {
    if (const auto at = clean.find(others[key]); at != clean.end())
      axis.points.push_back({0.0, at->second});
    axes.push_back(std::move(axis));
  }
}

// Returns an option of training in a configuration as a number; nothing if it is not one.
std::optional<double> value_in(const nlohmann::json& all, const TrainingOption& option) {
  const nlohmann::json value = all.value(option.name, nlohmann::json());
  if (option.kind == TrainingOption::Kind::kFlag) return value == true ? 1.0 : 0.0;
  if (!value.is_number()) return std::nullopt;
  return value.get<double>();
}

void add_training_axes(std::span<const ResultsTable> tables, std::vector<Axis>& axes) {
  for (const TrainingOption& option : training_options()) {
    std::map<std::string, Axis> found;  // by the other conditions
    for (const ResultsTable& table : tables) {
      nlohmann::json rest = conditions(table);
      const std::optional<double> value = value_in(rest, option);
      if (!value) continue;
      rest.erase(std::string(option.name));
      Axis& axis = found[rest.dump()];
      axis.title = (option.name == "pretraining" ? "pre-training" : std::string(option.name)) +
                   rest_label(rest);
      axis.name = option.title;
      axis.points.push_back({*value, &table});
    }
    for (auto& [key, axis] : found) axes.push_back(std::move(axis));
  }
}

std::size_t place_of(const std::vector<std::string>& names, const std::string& name) {
  return static_cast<std::size_t>(std::ranges::find(names, name) - names.begin());
}

std::span<const RunRecord* const> find_runs(const ResultsTable& table, const std::string& dataset,
                                            const std::string& method) {
  return table.runs(place_of(table.datasets, dataset), place_of(table.methods, method));
}

// Returns the names that every point has.
std::vector<std::string> shared(std::span<const Point> points,
                                std::vector<std::string> ResultsTable::*names) {
  std::vector<std::string> all = points.front().table->*names;
  std::erase_if(all, [&](const std::string& name) {
    return std::ranges::any_of(points, [&](const Point& point) {
      const auto& own = point.table->*names;
      return std::ranges::find(own, name) == own.end();
    });
  });
  return all;
}

std::set<std::uint32_t> common_seeds(std::span<const Point> points, const std::string& dataset,
                                     std::span<const std::string> methods) {
  std::map<std::uint32_t, std::size_t> uses;
  for (const Point& point : points)
    for (const std::string& method : methods)
      for (const RunRecord* run : find_runs(*point.table, dataset, method)) ++uses[run->key.seed];
  std::set<std::uint32_t> seeds;
  for (const auto& [seed, count] : uses)
    if (count == points.size() * methods.size()) seeds.insert(seed);
  return seeds;
}

double mean_accuracy(std::span<const RunRecord* const> runs, const std::set<std::uint32_t>& seeds) {
  std::vector<double> values;
  for (const RunRecord* run : runs)
    if (seeds.contains(run->key.seed)) values.push_back(run->metrics.accuracy);
  return mean(values);
}

// Chooses the points that have most in common: a single run at another value must not empty all
// curves.
std::vector<Point> choose_points(const std::vector<Point>& all) {
  constexpr std::size_t kMostPoints = 12;  // all subsets of so many points are tried
  if (all.size() > kMostPoints) return all;
  std::vector<Point> best;
  std::size_t most = 0;
  for (std::size_t choice = 1; choice < std::size_t{1} << all.size(); ++choice) {
    std::vector<Point> points;
    for (std::size_t i = 0; i < all.size(); ++i)
      if ((choice >> i & 1U) != 0) points.push_back(all[i]);
    if (points.size() < 2) continue;
    const std::size_t common = points.size() * shared(points, &ResultsTable::methods).size() *
                               shared(points, &ResultsTable::datasets).size();
    if (common > most) {
      most = common;
      best = points;
    }
  }
  return best;
}

Sweep make_sweep(Axis axis) {
  std::ranges::stable_sort(axis.points, {}, &Point::at);
  const std::vector<Point> all = axis.points;
  axis.points = choose_points(all);
  Sweep sweep;
  sweep.title = axis.title;
  sweep.axis = axis.name;
  if (axis.points.empty()) return sweep;
  for (const Point& point : axis.points) sweep.points.push_back(point.at);
  for (const Point& point : all)
    if (std::ranges::find(sweep.points, point.at) == sweep.points.end())
      sweep.left_out.push_back(point.at);
  const std::vector<std::string> methods = shared(axis.points, &ResultsTable::methods);
  std::vector<std::vector<std::vector<double>>> values(  // method, point, data set
      methods.size(), std::vector<std::vector<double>>(axis.points.size()));
  for (const std::string& dataset : shared(axis.points, &ResultsTable::datasets)) {
    const std::set<std::uint32_t> seeds = common_seeds(axis.points, dataset, methods);
    if (seeds.empty()) continue;
    ++sweep.datasets;
    for (std::size_t m = 0; m < methods.size(); ++m)
      for (std::size_t p = 0; p < axis.points.size(); ++p)
        values[m][p].push_back(
            mean_accuracy(find_runs(*axis.points[p].table, dataset, methods[m]), seeds));
  }
  for (std::size_t m = 0; m < methods.size(); ++m) {
    sweep.accuracy.push_back({methods[m], {}});
    for (const std::vector<double>& point : values[m])
      sweep.accuracy.back().values.push_back(mean(point));
  }
  return sweep;
}

}  // namespace

std::vector<Curve> loss_variation(const ResultsTable& table, std::span<const std::size_t> datasets,
                                  const VariationKind& kind) {
  std::vector<Curve> curves;
  for (std::size_t m = 0; m < table.methods.size(); ++m) {
    std::vector<std::vector<double>> rounds;
    for (const std::size_t d : datasets) {
      const std::vector<double> own = variation_by_round(table.runs(d, m), kind);
      if (rounds.size() < own.size()) rounds.resize(own.size());
      for (std::size_t t = 0; t < own.size(); ++t) rounds[t].push_back(own[t]);
    }
    curves.push_back({table.methods[m], {}});
    for (const std::vector<double>& round : rounds) curves.back().values.push_back(mean(round));
  }
  return curves;
}

std::vector<Sweep> sweeps(std::span<const ResultsTable> tables) {
  std::vector<Axis> axes;
  add_noise_axes(tables, axes);
  add_training_axes(tables, axes);
  std::vector<Sweep> all;
  for (Axis& axis : axes)
    if (axis.points.size() > 1)
      if (Sweep sweep = make_sweep(std::move(axis)); sweep.datasets > 0)
        all.push_back(std::move(sweep));
  return all;
}

std::string left_out_text(const Sweep& sweep) {
  if (sweep.left_out.empty()) return "";
  return fmt::format(" Left out, for want of common runs: {}.", fmt::join(sweep.left_out, ", "));
}

RankOrder order_by_rank(std::span<const Standing> standings, double critical_difference) {
  RankOrder order;
  order.methods.resize(standings.size());
  std::iota(order.methods.begin(), order.methods.end(), std::size_t{0});
  const auto rank = [&](std::size_t place) { return standings[order.methods[place]].rank; };
  std::ranges::stable_sort(order.methods, {}, [&](std::size_t m) { return standings[m].rank; });
  std::size_t reached = 0;  // last place of the groups so far
  for (std::size_t first = 0; first < standings.size(); ++first) {
    std::size_t last = first;
    while (last + 1 < standings.size() && rank(last + 1) - rank(first) <= critical_difference)
      ++last;
    if (last > first && (order.groups.empty() || last > reached)) {
      order.groups.emplace_back(first, last);
      reached = last;
    }
  }
  return order;
}

std::vector<Ablation> ablation(const ResultsTable& table) {
  const std::vector<Standing> standings = table.standings(kMetrics[0]);
  std::vector<Ablation> all;
  for (const auto& [form, ending] :
       {std::pair("hard", ""), std::pair("linear", "_linear"), std::pair("mixture", "_mixture")}) {
    std::vector<std::size_t> places;
    std::vector<double> accuracies;
    for (const char* method : {"uaspl_beta1", "uaspl_beta_t", "uaspl"})
      places.push_back(place_of(table.methods, std::string(method) + ending));
    if (table.complete().empty() || std::ranges::max(places) >= table.methods.size()) continue;
    const std::size_t plain = place_of(table.methods, std::string("spl") + ending);
    if (plain < table.methods.size()) places.insert(places.begin(), plain);
    for (const std::size_t m : places) accuracies.push_back(standings[m].mean);
    const std::vector<double> order = ranks(accuracies, Best::kHighest);
    for (std::size_t i = 0; i < places.size(); ++i)
      all.push_back({form, table.methods[places[i]], accuracies[i],
                     accuracies[i] - accuracies.back(), order[i]});
  }
  return all;
}

}  // namespace uaspl
