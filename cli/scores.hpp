// Shows the scores of a model, as `train` and `eval` do.
#pragma once

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "uaspl/model/evaluation.hpp"

namespace uaspl::cli {

constexpr std::size_t kMostClassesShown = 50;  // in a table for people

// Returns all scores but the confusion of the classes.
nlohmann::ordered_json scores_json(const Evaluation& scores, const std::vector<std::string>& names,
                                   const std::optional<Decision>& decision);

// Prints what tells whether the scores are worth something: the majority, the balanced accuracy and
// how well the probabilities fit.
void print_baseline(const Evaluation& scores, const std::vector<std::string>& names);

// Prints the scores of each class; with a confusion, also how often it was taken for each other.
void print_classes(const Evaluation& scores, const std::vector<std::string>& names, bool confusion);

// Prints the table of thresholds, if there are two classes.
void print_thresholds(const Evaluation& scores, const std::vector<std::string>& names,
                      const std::optional<Decision>& decision);

// Says how the label is chosen: "yes where p_yes >= 0.31, otherwise no".
std::string decision_text(const Decision& decision, const std::vector<std::string>& names);

// Adds --positive and --cost.
void add_decision_options(CLI::App& app, std::string& positive, std::optional<Costs>& costs);

}  // namespace uaspl::cli
