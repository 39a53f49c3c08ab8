// Computes what figures and the smaller tables show, from the tables of results.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "uaspl/report/results.hpp"

namespace uaspl {

struct Curve {
  std::string method;
  std::vector<double> values;  // NaN if there is no value
};

// The ways to say how much the loss of the first round's rows falls in a round (stage_numbers.hpp).
// The first is the paper's definition; the last three judge methods that take all rows by the
// quarter that was easiest in the first round, instead of by all rows.
struct VariationKind {
  std::string_view name;
  std::string_view title;
  double (*value)(const StageRecord&);
};
inline constexpr VariationKind kVariations[] = {
    {"mean", "mean, as the paper defines it",
     [](const StageRecord& s) { return s.variation.mean; }},
    {"median", "median over the rows", [](const StageRecord& s) { return s.variation.median; }},
    {"robust", "mean that rows without loss do not rule (1e-3)",
     [](const StageRecord& s) { return s.variation.robust; }},
    {"quarter", "mean; methods that take all rows by their easiest quarter",
     [](const StageRecord& s) { return s.loss_variation; }},
    {"quarter_median", "median; the same quarter",
     [](const StageRecord& s) { return s.quarter_median; }},
    {"quarter_robust", "mean (1e-3); the same quarter",
     [](const StageRecord& s) { return s.quarter_robust; }}};

// Returns for each method the relative loss variation of the first round's rows at each round: mean
// over the runs and then over the given data sets. NaN where older programs did not record it.
std::vector<Curve> loss_variation(const ResultsTable& table, std::span<const std::size_t> datasets,
                                  const VariationKind& kind = kVariations[0]);

// How the accuracy depends on one condition, with all others equal.
struct Sweep {
  std::string title;             // "uniform noise"
  std::string axis;              // "ratio"
  std::vector<double> points;    // ascending
  std::vector<double> left_out;  // points that have too few runs in common with the others
  std::size_t datasets = 0;      // that have runs of all methods with common seeds at all points
  std::vector<Curve> accuracy;   // mean over these data sets, one value for each point
};
std::vector<Sweep> sweeps(std::span<const ResultsTable> tables);
std::string left_out_text(const Sweep& sweep);  // a sentence, or an empty text

// The methods of a critical-difference diagram, best rank first, and the groups that do not differ:
// the first and last place of each; no group lies inside another.
struct RankOrder {
  std::vector<std::size_t> methods;
  std::vector<std::pair<std::size_t, std::size_t>> groups;
};
RankOrder order_by_rank(std::span<const Standing> standings, double critical_difference);

// UASPL without one of its parts (or all: plain self-paced learning), in one of its forms.
struct Ablation {
  std::string form;  // "hard", "linear", "mixture"
  std::string method;
  double accuracy = 0.0;
  double difference = 0.0;  // to the whole method
  double rank = 0.0;        // within the form
};
// Returns the ablations of the forms of which UASPL's methods are all there, the whole method last.
std::vector<Ablation> ablation(const ResultsTable& table);

}  // namespace uaspl
