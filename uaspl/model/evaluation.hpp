// Computes all scores of predictions against known classes.
#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "uaspl/model/metrics.hpp"
#include "uaspl/model/readout.hpp"
#include "uaspl/model/thresholds.hpp"

namespace uaspl {

// How well probabilities and uncertainties fit what came out (metrics.hpp); NaN if there is no
// value.
struct Calibration {
  double log_loss = std::numeric_limits<double>::quiet_NaN();
  double brier = std::numeric_limits<double>::quiet_NaN();
  double ece = std::numeric_limits<double>::quiet_NaN();
  double error_auroc = std::numeric_limits<double>::quiet_NaN();  // of the vacuity, or the entropy
};
Calibration calibration(std::span<const int> truth, const Predictions& predictions,
                        std::span<const double> weights = {});

// How predictions are to be scored.
struct Judging {
  std::vector<double> weights = {};          // of the rows, above 0; none: all count equally
  std::optional<std::size_t> positive = {};  // of two classes; default: the rarer one
  std::optional<Costs> costs = {};           // of errors between two classes
};

struct Evaluation {
  Metrics metrics;
  double log_loss = 0.0;  // as in the calibration
  Calibration calibration;
  double balanced_accuracy = 0.0;  // mean recall of the classes that occur
  // The commonest class among the rows, and the accuracy of always answering with it: what is
  // reached without looking at the rows. NaN if no row has a known class.
  std::size_t majority_class = 0;
  double majority = std::numeric_limits<double>::quiet_NaN();
  bool weighted = false;                 // rows count by their weights, but for `rows` and the like
  std::optional<Thresholds> thresholds;  // of two classes
  std::vector<ClassScore> classes;
  Confusion confusion;
  std::size_t rows = 0;
  std::size_t unknown = 0;     // rows of a class that the model does not know; they count as wrong
  std::size_t unanswered = 0;  // rows without a finite answer; they count as wrong
};

// Scores predictions. Truths are places among the classes, -1 for a class that is not among them.
Evaluation evaluate(std::span<const int> truth, const Predictions& predictions, std::size_t classes,
                    const Judging& judging = {});

}  // namespace uaspl
