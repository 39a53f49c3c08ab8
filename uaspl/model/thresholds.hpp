// For two classes: what it means to answer with one of them from a certain probability on, and
// which probability costs least.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "uaspl/base/matrix.hpp"
#include "uaspl/model/readout.hpp"

namespace uaspl {

// What errors cost: a row of the other class that is flagged as positive, and a positive row that
// is not. Both are finite and above 0.
struct Costs {
  double false_positive = 1.0;
  double false_negative = 1.0;
};

// Reads FP=COST,FN=COST, in any order; a cost that is not given is 1.
Costs parse_costs(std::string_view text);

// What happens where rows are flagged as positive from a probability on.
struct ThresholdScore {
  double threshold = 0.5;
  double precision = 0.0;      // share of positive rows among those flagged; NaN if none is
  double recall = 0.0;         // share of the positive rows that are flagged; NaN if there are none
  double flagged = 0.0;        // share of all rows
  std::optional<double> cost;  // mean of all rows, if costs are known
};

struct Thresholds {
  std::size_t positive = 1;  // the class that is flagged
  std::vector<ThresholdScore> scores;
  std::optional<ThresholdScore> cheapest;  // if costs are known
};

// Returns the class with fewer rows, which is usually the one that is looked for; the second if
// both have as many.
std::size_t rarer_class(std::span<const int> labels);

// Scores some thresholds between 0.05 and 0.95. Truths other than the two classes count as not
// positive; a row without an answer is not flagged. The cheapest is, of all thresholds with the
// least cost on these rows, the one nearest to FP / (FP + FN), which would be best if the
// probabilities were exact; between two rows, it lies in the middle.
Thresholds score_thresholds(std::span<const int> truth, const Matrix& probabilities,
                            std::size_t positive, const std::optional<Costs>& costs = {},
                            std::span<const double> weights = {});

// Scores one threshold.
ThresholdScore score_threshold(double threshold, std::span<const int> truth,
                               const Matrix& probabilities, std::size_t positive,
                               const std::optional<Costs>& costs = {},
                               std::span<const double> weights = {});

}  // namespace uaspl
