// What figures and the smaller tables show, computed from the tables of results.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "uaspl/report/results.hpp"

namespace uaspl {

struct Curve {
  std::string method;
  std::vector<double> values;  // NaN where there is nothing
};

// Mean relative loss variation of the first round's rows at each round: of each method, over the
// runs and then over the data sets given.
std::vector<Curve> loss_variation(const ResultsTable& table, std::span<const std::size_t> datasets);

// How the accuracy depends on one condition, all others being equal.
struct Sweep {
  std::string title;             // "uniform noise"
  std::string axis;              // "ratio"
  std::vector<double> points;    // ascending
  std::vector<double> left_out;  // points that share too little with the others
  std::size_t datasets = 0;      // that have runs with common seeds at all points, of all methods
  std::vector<Curve> accuracy;   // mean over these, one value a point
};
std::vector<Sweep> sweeps(std::span<const ResultsTable> tables);
std::string left_out_text(const Sweep& sweep);  // a sentence, or nothing

// The methods of a critical-difference diagram, best rank first, and the groups that do not differ:
// first and last place, none inside another.
struct RankOrder {
  std::vector<std::size_t> methods;
  std::vector<std::pair<std::size_t, std::size_t>> groups;
};
RankOrder order_by_rank(std::span<const Standing> standings, double critical_difference);

// UASPL without a part, in one of its forms.
struct Ablation {
  std::string form;  // "hard", "linear", "mixture"
  std::string method;
  double accuracy = 0.0;
  double difference = 0.0;  // to the whole method
  double rank = 0.0;        // within the form
};
// Of the forms whose methods are all there.
std::vector<Ablation> ablation(const ResultsTable& table);

}  // namespace uaspl
