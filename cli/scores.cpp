// Shows scores, see scores.hpp.
#include "cli/scores.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "cli/shard.hpp"
#include "uaspl/base/text.hpp"

namespace uaspl::cli {
namespace {

nlohmann::ordered_json threshold_json(const ThresholdScore& score) {
  nlohmann::ordered_json one = {{"threshold", score.threshold},
                                {"precision", score.precision},
                                {"recall", score.recall},
                                {"flagged", score.flagged}};
  if (score.cost) one["cost"] = *score.cost;
  return one;
}

// A score for people, which may lack a value.
std::string shown(double value) { return std::isnan(value) ? "-" : fmt::format("{:.4f}", value); }

std::vector<std::string> printable_names(const std::vector<std::string>& names, std::size_t count) {
  std::vector<std::string> all;
  for (const std::string& name : std::span(names).first(count)) all.push_back(printable(name));
  return all;
}

void print_threshold(const ThresholdScore& score, std::size_t width, std::string_view remark) {
  fmt::print("{:<{}.4g}  {:>9}  {:>7}  {:>7}", score.threshold, width, shown(score.precision),
             shown(score.recall), shown(score.flagged));
  if (score.cost) fmt::print("  {:>8}", shown(*score.cost));
  fmt::print("{}{}\n", remark.empty() ? "" : "   ", remark);
}

}  // namespace

nlohmann::ordered_json scores_json(const Evaluation& scores, const std::vector<std::string>& names,
                                   const std::optional<Decision>& decision) {
  nlohmann::ordered_json result = {{"rows", scores.rows},
                                   {"unknown", scores.unknown},
                                   {"unanswered", scores.unanswered},
                                   {"weighted", scores.weighted},
                                   {"accuracy", scores.metrics.accuracy},
                                   {"majority", scores.majority},
                                   {"balanced_accuracy", scores.balanced_accuracy},
                                   {"precision", scores.metrics.precision},
                                   {"recall", scores.metrics.recall},
                                   {"f1", scores.metrics.f1},
                                   {"log_loss", scores.log_loss},
                                   {"brier", scores.calibration.brier},
                                   {"ece", scores.calibration.ece},
                                   {"error_auroc", scores.calibration.error_auroc}};
  if (!std::isnan(scores.majority)) result["majority_class"] = names[scores.majority_class];
  for (std::size_t k = 0; k < scores.classes.size(); ++k) {
    const ClassScore& c = scores.classes[k];
    result["classes"].push_back({{"name", names[k]},
                                 {"rows", c.rows},
                                 {"precision", c.precision},
                                 {"recall", c.recall},
                                 {"f1", c.f1},
                                 {"auroc", c.auroc},
                                 {"average_precision", c.average_precision}});
  }
  if (!scores.thresholds) return result;
  nlohmann::ordered_json thresholds = {{"positive", names[scores.thresholds->positive]}};
  for (const ThresholdScore& one : scores.thresholds->scores)
    thresholds["scores"].push_back(threshold_json(one));
  if (scores.thresholds->cheapest)
    thresholds["cheapest"] = threshold_json(*scores.thresholds->cheapest);
  if (decision)
    thresholds["used"] = {{"positive", names[decision->positive]},
                          {"threshold", decision->threshold}};
  result["thresholds"] = std::move(thresholds);
  return result;
}

void print_baseline(const Evaluation& scores, const std::vector<std::string>& names) {
  if (!std::isnan(scores.majority))
    fmt::print("always '{}': accuracy {:.4f}; ", printable(names[scores.majority_class]),
               scores.majority);
  fmt::print("balanced accuracy {:.4f}, Brier score {}, calibration error {}\n",
             scores.balanced_accuracy, shown(scores.calibration.brier),
             shown(scores.calibration.ece));
}

void print_classes(const Evaluation& scores, const std::vector<std::string>& all_names,
                   bool confusion) {
  const auto count = std::min(kMostClassesShown, scores.classes.size());
  const std::vector<std::string> names = printable_names(all_names, count);
  std::size_t width = 5;
  for (const std::string& name : names) width = std::max(width, name.size());
  fmt::print("{:<{}}  {:>9}  {:>7}  {:>7}  {:>7}  {:>7}  {:>6}{}\n", "class", width, "precision",
             "recall", "F1", "AUROC", "av.prec", "rows", confusion ? "   predicted as" : "");
  if (confusion) {
    fmt::print("{:<{}} ", "", width + 55);
    for (const std::string& name : names) fmt::print(" {:>{}}", name, width);
    fmt::print("\n");
  }
  for (std::size_t k = 0; k < count; ++k) {
    const ClassScore& c = scores.classes[k];
    fmt::print("{:<{}}  {:>9.4f}  {:>7.4f}  {:>7.4f}  {:>7}  {:>7}  {:>6}", names[k], width,
               c.precision, c.recall, c.f1, shown(c.auroc), shown(c.average_precision), c.rows);
    if (confusion) {
      fmt::print(" ");
      for (std::size_t j = 0; j < count; ++j) fmt::print(" {:>{}}", scores.confusion(k, j), width);
    }
    fmt::print("\n");
  }
  if (count < scores.classes.size())
    fmt::print("and {} more classes; --json has all\n", scores.classes.size() - count);
}

void print_thresholds(const Evaluation& scores, const std::vector<std::string>& names,
                      const std::optional<Decision>& decision) {
  if (!scores.thresholds) return;
  const Thresholds& all = *scores.thresholds;
  const std::string positive = printable(names[all.positive]);
  const std::string title = "p_" + positive + " from";
  const std::size_t width = std::max<std::size_t>(8, title.size());
  fmt::print("'{}' as the answer from a probability on\n{:<{}}  {:>9}  {:>7}  {:>7}{}\n", positive,
             title, width, "precision", "recall", "flagged", all.cheapest ? "      cost" : "");
  for (const ThresholdScore& one : all.scores) print_threshold(one, width, "");
  if (all.cheapest) print_threshold(*all.cheapest, width, "costs least on these rows");
  if (decision) fmt::print("label: {}\n", decision_text(*decision, names));
}

std::string decision_text(const Decision& decision, const std::vector<std::string>& names) {
  const std::string positive = printable(names[decision.positive]);
  return fmt::format("{} where p_{} >= {}, otherwise {}", positive, positive, decision.threshold,
                     printable(names[1 - decision.positive]));
}

void add_decision_options(CLI::App& app, std::string& positive, std::optional<Costs>& costs) {
  app.add_option("--positive", positive,
                 "Of two classes, the one that is looked for; default: the rarer one");
  app.add_option_function<std::string>(
         "--cost", [&costs](const std::string& text) { costs = parse_costs(text); },
         "FP=COST,FN=COST, what errors between two classes cost: a row wrongly taken for the "
         "positive class, and one missed")
      ->check([](const std::string& text) { return complaint([&] { parse_costs(text); }); });
}

}  // namespace uaspl::cli
