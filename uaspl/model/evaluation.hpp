// Computes all scores of predictions against known classes.
#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "uaspl/model/metrics.hpp"
#include "uaspl/model/readout.hpp"

namespace uaspl {

// How well probabilities and uncertainties fit what came out (metrics.hpp); NaN if there is no
// value.
struct Calibration {
  double log_loss = std::numeric_limits<double>::quiet_NaN();
  double brier = std::numeric_limits<double>::quiet_NaN();
  double ece = std::numeric_limits<double>::quiet_NaN();
  double error_auroc = std::numeric_limits<double>::quiet_NaN();  // of the vacuity, or the entropy
};
Calibration calibration(std::span<const int> truth, const Predictions& predictions);

struct Evaluation {
  Metrics metrics;
  double log_loss = 0.0;
  std::vector<ClassScore> classes;
  Confusion confusion;
  std::size_t rows = 0;
  std::size_t unknown = 0;     // rows of a class that the model does not know; they count as wrong
  std::size_t unanswered = 0;  // rows without a finite answer; they count as wrong
};

// Scores predictions. Truths are places among the classes, -1 for a class that is not among them.
Evaluation evaluate(std::span<const int> truth, const Predictions& predictions,
                    std::size_t classes);

}  // namespace uaspl
