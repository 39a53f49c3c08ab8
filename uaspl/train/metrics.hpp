// Scores of predictions against the truth.
#pragma once

#include <span>
#include <vector>

#include "uaspl/base/matrix.hpp"

namespace uaspl {

// Macro averages run over the classes that occur in the truth or in the predictions; 0/0 counts 0.
struct Metrics {
  double accuracy = 0.0;
  double precision = 0.0;
  double recall = 0.0;
  double f1 = 0.0;  // mean of the classes' F1
};

Metrics score(std::span<const int> truth, std::span<const int> predicted);

// Index of the largest logit of each row, the lowest on ties; as in PyTorch the first NaN wins.
std::vector<int> predicted_classes(const Matrix& logits);

}  // namespace uaspl
