// Computes all scores of predictions against known classes.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "uaspl/model/metrics.hpp"
#include "uaspl/model/readout.hpp"

namespace uaspl {

struct Evaluation {
  Metrics metrics;
  double log_loss = 0.0;
  std::vector<ClassScore> classes;
  Confusion confusion;
  std::size_t rows = 0;
  std::size_t unknown = 0;  // rows of a class that the model does not know; they count as wrong
};

// Scores predictions. Truths are places among the classes, -1 for a class that is not among them.
Evaluation evaluate(std::span<const int> truth, const Predictions& predictions,
                    std::size_t classes);

}  // namespace uaspl
