// Writes reports as one HTML page, see html.hpp. The page's own files are in uaspl/report/page;
// what they show is JSON that is made here.
#include "uaspl/report/html.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>

#include "uaspl/base/embedded.hpp"
#include "uaspl/base/table.hpp"
#include "uaspl/io/json_text.hpp"
#include "uaspl/io/sha256.hpp"
#include "uaspl/report/sheet.hpp"

namespace uaspl {
namespace {

using Json = nlohmann::ordered_json;

// Rounds a number whose further digits say nothing, to keep the page small.
Json brief(double value) {
  return std::isfinite(value) ? Json::parse(fmt::format("{:.6g}", value)) : Json();
}

Json per_metric(const std::function<Json(const MetricInfo&)>& make) {
  Json all = Json::array();
  for (const MetricInfo& metric : kMetrics) all.push_back(make(metric));
  return all;
}

Json cell_json(const ResultsTable& table, std::size_t d, std::size_t m) {
  const std::span<const RunRecord* const> runs = table.runs(d, m);
  if (runs.empty()) return {};
  Json seeds = Json::array();
  double seconds = 0.0;
  for (const RunRecord* run : runs) {
    seeds.push_back(run->key.seed);
    seconds += run->seconds / static_cast<double>(runs.size());
  }
  Json cell = {{"seeds", std::move(seeds)}};
  cell["runs"] = per_metric([&](const MetricInfo& metric) {
    Json values = Json::array();
    for (const RunRecord* run : runs) values.push_back(brief(metric.value(*run)));
    return values;
  });
  const auto summary = [&](double Summary::*part) {
    return per_metric([&](const MetricInfo& metric) -> Json {
      const Summary all = table.summary(metric, d, m);
      return all.count > 0 ? Json(rounded(all.*part)) : Json();
    });
  };
  cell["mean"] = summary(&Summary::mean);
  cell["deviation"] = summary(&Summary::deviation);
  cell["seconds"] = brief(seconds);
  cell["diverged"] =
      std::ranges::count_if(runs, [](const RunRecord* run) { return run->diverged; });
  cell["stalled"] = std::ranges::count_if(runs, [](const RunRecord* run) { return run->stalled; });
  return cell;
}

Json standings_json(const ResultsTable& table, const MetricInfo& metric) {
  Json all = Json::array();
  for (const Standing& one : table.standings(metric))
    all.push_back({{"mean", rounded(one.mean)},
                   {"deviation", rounded(one.deviation)},
                   {"rank", rounded(one.rank)},
                   {"best", one.best}});
  return all;
}

Json ranks_json(const ResultsTable& table, const MetricInfo& metric) {
  const std::size_t datasets = table.complete().size();
  const bool enough = datasets > 1 && table.methods.size() > 1;
  const double difference = enough ? critical_difference(table.methods.size(), datasets) : 0.0;
  const RankOrder order = order_by_rank(table.standings(metric), difference);
  Json ranks = {{"order", {{"methods", order.methods}, {"groups", order.groups}}},
                {"friedman", nullptr}};
  if (enough) {
    const Friedman test = friedman(table.means(metric));
    ranks["friedman"] = {{"statistic", brief(test.statistic)},
                         {"p", brief(test.p)},
                         {"difference", brief(difference)}};
  }
  return ranks;
}

Json wilcoxon_json(const ResultsTable& table, const MetricInfo& metric) {
  Json all = Json::array();
  if (table.complete().empty()) return all;
  for (const Comparison& one : compare_all(table.means(metric)))
    all.push_back({one.a, one.b, brief(one.difference), brief(one.p), brief(one.p_holm)});
  return all;
}

Json curve_values(const Curve& curve) {
  Json values = Json::array();
  for (const double value : curve.values) values.push_back(brief(value));
  return values;
}

// Returns the variation over the data sets that all methods have, then that of each data set.
Json variation_json(const ResultsTable& table, const VariationKind& kind) {
  Json places = Json::array();
  const auto add = [&](std::span<const std::size_t> datasets) {
    Json methods = Json::array();
    for (const Curve& curve : loss_variation(table, datasets, kind))
      methods.push_back(curve_values(curve));
    places.push_back(std::move(methods));
  };
  add(table.complete());
  for (std::size_t d = 0; d < table.datasets.size(); ++d) add(std::span(&d, 1));
  return places;
}

Json variations_json(const ResultsTable& table) {
  Json all = Json::array();
  for (const VariationKind& kind : kVariations)
    all.push_back({{"title", kind.title}, {"places", variation_json(table, kind)}});
  return all;
}

Json sheets_json(const ResultsTable& table) {
  Json all = Json::array();
  for (const Sheet& sheet : sheets(table)) {
    Json rows = Json::array();
    for (const std::vector<SheetCell>& row : sheet.rows) {
      Json cells = Json::array();  // a name, or a number and its text
      for (const SheetCell& cell : row)
        cells.push_back(cell.is_name ? Json(cell.text) : Json{brief(cell.value), cell.text});
      rows.push_back(std::move(cells));
    }
    all.push_back({{"title", sheet.title},
                   {"caption", sheet.caption},
                   {"columns", sheet.columns},
                   {"rows", std::move(rows)},
                   {"remarks", sheet.remarks}});
  }
  return all;
}

Json ablation_json(const ResultsTable& table) {
  Json all = Json::array();
  for (const Ablation& one : ablation(table))
    all.push_back({{"form", one.form},
                   {"method", one.method},
                   {"accuracy", rounded(one.accuracy)},
                   {"difference", rounded(one.difference)},
                   {"rank", one.rank}});
  return all;
}

Json table_json(const ResultsTable& table) {
  Json datasets = Json::array();
  Json cells = Json::array();
  std::size_t runs = 0;
  for (std::size_t d = 0; d < table.datasets.size(); ++d) {
    Json row = Json::array();
    const RunRecord* any = nullptr;
    for (std::size_t m = 0; m < table.methods.size(); ++m) {
      row.push_back(cell_json(table, d, m));
      runs += table.runs(d, m).size();
      if (!table.runs(d, m).empty()) any = table.runs(d, m).front();
    }
    datasets.push_back({{"name", table.datasets[d]},
                        {"rows", any ? any->rows : 0},
                        {"classes", any ? any->classes : 0}});
    cells.push_back(std::move(row));
  }
  const auto metrics = [&](Json (*make)(const ResultsTable&, const MetricInfo&)) {
    return per_metric([&](const MetricInfo& metric) { return make(table, metric); });
  };
  return {{"variant", table.variant},
          {"runs", runs},
          {"datasets", std::move(datasets)},
          {"methods", table.methods},
          {"complete", table.complete()},
          {"cells", std::move(cells)},
          {"standings", metrics(standings_json)},
          {"ranks", metrics(ranks_json)},
          {"wilcoxon", metrics(wilcoxon_json)},
          {"variation", variations_json(table)},
          {"sheets", sheets_json(table)},
          {"ablation", ablation_json(table)}};
}

Json sweep_json(const Sweep& sweep) {
  Json curves = Json::array();
  for (const Curve& curve : sweep.accuracy)
    curves.push_back({{"method", curve.method}, {"values", curve_values(curve)}});
  return {{"title", sweep.title},
          {"axis", sweep.axis},
          {"points", sweep.points},
          {"datasets", sweep.datasets},
          {"leftOut", left_out_text(sweep)},
          {"curves", std::move(curves)}};
}

Json stage_json(const SelectionStage& stage) {
  Json json = {{"rows", Json::array()}, {"loss", Json::array()}, {"uncertainty", Json::array()}};
  std::string correct;  // one character for each row
  std::string selected;
  const auto short_float = [](float value) -> Json {
    return std::isfinite(value) ? Json::parse(fmt::format("{:.4g}", value)) : Json();
  };
  for (const SampleRecord& sample : stage.samples) {
    json["rows"].push_back(sample.row);
    json["loss"].push_back(short_float(sample.loss));
    json["uncertainty"].push_back(short_float(sample.uncertainty));
    correct += sample.correct ? '1' : '0';
    selected += sample.selected ? '1' : '0';
  }
  json["correct"] = correct;
  json["selected"] = selected;
  json["cuts"] = stage.cuts;
  json["intervals"] = Json::array();
  for (const std::optional<double>& mean : stage.uncertainty)
    json["intervals"].push_back(mean ? brief(*mean) : Json());
  return json;
}

Json selection_json(const SelectionTrace& run) {
  Json stages = Json::array();
  for (const SelectionStage& stage : run.stages) stages.push_back(stage_json(stage));
  return {{"variant", run.variant},
          {"dataset", run.dataset},
          {"method", run.method},
          {"seed", run.seed},
          {"stages", std::move(stages)}};
}

Json curve_json(const LearningCurve& run) {
  constexpr std::size_t kMostPoints = 150;  // wider than a chart can show apart
  const std::vector<std::size_t> places = shown_passes(run.passes, kMostPoints);
  Json values = Json::array();
  for (const CurveKind& kind : kCurves) {
    Json one = Json::array();
    for (const std::size_t i : places) one.push_back(brief(run.passes[i].*kind.value));
    values.push_back(std::move(one));
  }
  Json at = Json::array();
  for (const std::size_t i : places) at.push_back(i + 1);
  return {{"variant", run.variant}, {"dataset", run.dataset}, {"method", run.method},
          {"seed", run.seed},       {"at", std::move(at)},    {"values", std::move(values)}};
}

template <typename Items, typename Make>
Json list(const Items& items, Make make) {
  Json all = Json::array();
  for (const auto& item : items) all.push_back(make(item));
  return all;
}

// Says which programs made the runs, and when.
Json provenance_json(const Report& report) {
  struct Span {
    std::size_t runs = 0;
    std::string first;
    std::string last;
  };
  std::map<std::tuple<std::string, std::string, std::string>, Span> programs;
  for (const ResultsTable& table : report.tables)
    for (std::size_t d = 0; d < table.datasets.size(); ++d)
      for (std::size_t m = 0; m < table.methods.size(); ++m)
        for (const RunRecord* run : table.runs(d, m)) {
          Span& span = programs[{run->version, run->commit, run->target}];
          if (span.runs++ == 0 || run->finished < span.first) span.first = run->finished;
          span.last = std::max(span.last, run->finished);
        }
  return list(programs, [](const auto& one) -> Json {
    const auto& [version, commit, target] = one.first;
    return {{"version", version},      {"commit", commit},          {"target", target},
            {"runs", one.second.runs}, {"first", one.second.first}, {"last", one.second.last}};
  });
}

std::string data_json(const Report& report, const std::string& store) {
  std::vector<const SelectionTrace*> traces;
  for (const SelectionTrace& run : report.selections.runs)
    if (run.has_samples()) traces.push_back(&run);
  const Json data = {
      {"store", store},
      {"resultsVersion", fmt::format("{}, of images {}", kResultsVersion, kImageResultsVersion)},
      {"rankRule", report.tables.front().rule.text()},
      {"noRanks", kNoRanks},
      {"metrics", per_metric([](const MetricInfo& metric) -> Json {
         return {{"name", metric.name}, {"title", metric.title}};
       })},
      {"tables", list(report.tables, table_json)},
      {"sweeps", list(report.sweeps, sweep_json)},
      {"selections",
       {{"runs", list(traces, [](const SelectionTrace* run) { return selection_json(*run); })},
        {"leftOut", report.selections.without_samples}}},
      {"curves",
       {{"titles", list(kCurves, [](const CurveKind& kind) -> Json { return kind.title; })},
        {"runs", list(report.curves.runs, curve_json)},
        {"leftOut", report.curves.left_out}}},
      {"provenance", provenance_json(report)}};
  // The character < is escaped, so that nothing in the JSON can end the element that holds it.
  std::string text;
  for (const char c : json_text(data)) {
    if (c == '<')
      text += "\\u003c";
    else
      text += c;
  }
  return text;
}

std::string escaped(const std::string& text) {
  std::string safe;
  for (const char c : text) {
    switch (c) {
      case '&': safe += "&amp;"; break;
      case '<': safe += "&lt;"; break;
      case '>': safe += "&gt;"; break;
      case '"': safe += "&quot;"; break;
      default: safe += c;
    }
  }
  return safe;
}

// Returns the hash by which a content security policy allows a script or style.
std::string policy_hash(std::string_view text) {
  const std::string hex = sha256(text);
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bits;
  for (const char c : hex) {
    const int digit = c <= '9' ? c - '0' : c - 'a' + 10;
    for (int bit = 3; bit >= 0; --bit) bits += (digit >> bit & 1) != 0 ? '1' : '0';
  }
  bits.append((6 - bits.size() % 6) % 6, '0');
  std::string base64;
  for (std::size_t i = 0; i < bits.size(); i += 6)
    base64 += kDigits[static_cast<std::size_t>(std::stoi(bits.substr(i, 6), nullptr, 2))];
  base64.append((4 - base64.size() % 4) % 4, '=');
  return "'sha256-" + base64 + "'";
}

std::string_view page_file(std::string_view name) {
  return find_named(embedded_page(), "part of the page", name).text;
}

}  // namespace

std::string html_report(const Report& report, const std::string& store) {
  const std::string style(page_file("page.css"));
  const std::string chart(page_file("chart.min.js"));
  std::string script;
  for (const char* part : {"tables.js", "diagrams.js", "charts.js", "figures.js", "page.js"})
    script += page_file(part);
  const std::map<std::string_view, std::string> parts = {
      {"title", escaped("uaspl: " + store)},
      {"style", style},
      {"style-hashes", policy_hash(style)},
      {"chart", chart},
      {"script", script},
      {"script-hashes", policy_hash(chart) + " " + policy_hash(script)},
      {"data", data_json(report, store)}};
  std::string page;
  std::string_view rest = page_file("page.html");
  for (std::size_t open = rest.find("{{"); open != rest.npos; open = rest.find("{{")) {
    const std::size_t close = rest.find("}}", open);
    page += rest.substr(0, open);
    page += parts.at(rest.substr(open + 2, close - open - 2));
    rest.remove_prefix(close + 2);
  }
  return page + std::string(rest);
}

}  // namespace uaspl
