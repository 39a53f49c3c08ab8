// Computes class probabilities from logits, see softmax.hpp.
#include "uaspl/loss/softmax.hpp"

#include <algorithm>
#include <cmath>

namespace uaspl {

DoubleMatrix softmax(const Matrix& logits) {
  DoubleMatrix p(logits.rows(), logits.cols());
  for (std::size_t i = 0; i < logits.rows(); ++i) {
    const double top = std::ranges::max(logits.row(i));
    double sum = 0.0;
    for (std::size_t k = 0; k < logits.cols(); ++k)
      sum += p(i, k) = std::exp(static_cast<double>(logits(i, k)) - top);
    for (double& value : p.row(i)) value /= sum;
  }
  return p;
}

double entropy(std::span<const double> probabilities) {
  double sum = 0.0;
  for (const double p : probabilities)
    if (p != 0.0) sum -= p * std::log(p);
  return sum;
}

double softmax_probability(std::span<const float> logits, std::size_t label) {
  double others = 0.0;
  for (std::size_t k = 0; k < logits.size(); ++k)
    if (k != label)
      others += std::exp(static_cast<double>(logits[k]) - static_cast<double>(logits[label]));
  return 1.0 / (1.0 + others);
}

}  // namespace uaspl
