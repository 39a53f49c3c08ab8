// Temperature and amount of evidence, see tempering.hpp.
#include "uaspl/trust/tempering.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace uaspl {
namespace {

constexpr double kSmallest = 1e-300;  // a probability is not taken to be smaller

// Finds where a function of one valley is lowest, by golden sections.
template <typename Function>
double lowest(double low, double high, const Function& function) {
  constexpr double kGolden = 0.6180339887498949;
  double a = high - kGolden * (high - low);
  double b = low + kGolden * (high - low);
  double at_a = function(a);
  double at_b = function(b);
  for (int i = 0; i < 40; ++i) {
    if (at_a <= at_b) {
      high = b;
      b = a;
      at_b = at_a;
      a = high - kGolden * (high - low);
      at_a = function(a);
    } else {
      low = a;
      a = b;
      at_a = at_b;
      b = low + kGolden * (high - low);
      at_b = function(b);
    }
  }
  return (low + high) / 2.0;
}

// Sums loss(row) over the rows, weighted.
template <typename Loss>
double sum_of(const JudgedRows& rows, const Loss& loss) {
  double sum = 0.0;
  for (std::size_t i = 0; i < rows.labels.size(); ++i) {
    const double weight = rows.weights.empty() ? 1.0 : static_cast<double>(rows.weights[i]);
    sum += weight * loss(i);
  }
  return sum;
}

}  // namespace

void sharpen(std::span<double> probabilities, double temperature) {
  const double top = std::max(std::ranges::max(probabilities), kSmallest);
  double sum = 0.0;
  for (double& p : probabilities) sum += p = std::pow(p / top, temperature);
  for (double& p : probabilities) p /= sum;
}

Tempering fit_tempering(const JudgedRows& rows) {
  Tempering result;
  const std::size_t classes = rows.probabilities.cols();
  const auto label = [&](std::size_t i) { return static_cast<std::size_t>(rows.labels[i]); };
  DoubleMatrix logs(rows.probabilities.rows(), classes);
  for (std::size_t at = 0; at < logs.values().size(); ++at)
    logs.values()[at] = std::log(std::max(rows.probabilities.values()[at], kSmallest));
  const auto loss_of_temperature = [&](double log_temperature) {
    const double t = std::exp(log_temperature);
    return sum_of(rows, [&](std::size_t i) {
      const auto row = logs.row(i);
      const double top = std::ranges::max(row);
      double sum = 0.0;
      for (const double value : row) sum += std::exp(t * (value - top));
      return std::log(sum) - t * (row[label(i)] - top);
    });
  };
  result.temperature =
      std::exp(lowest(std::log(Tempering::kLowestTemperature),
                      std::log(Tempering::kHighestTemperature), loss_of_temperature));
  std::vector<double> own(rows.labels.size());  // of the label
  std::vector<double> sharp(classes);
  for (std::size_t i = 0; i < own.size(); ++i) {
    std::ranges::copy(rows.probabilities.row(i), sharp.begin());
    sharpen(sharp, result.temperature);
    own[i] = sharp[label(i)];
  }
  const auto loss_of_evidence = [&](double log_evidence) {
    return sum_of(rows, [&](std::size_t i) {
      const double e = std::exp(log_evidence) * (rows.known.empty() ? 1.0 : rows.known[i]);
      return std::log((static_cast<double>(classes) + e) / (1.0 + e * own[i]));
    });
  };
  result.evidence = std::exp(lowest(std::log(Tempering::kLeastEvidence),
                                    std::log(Tempering::kMostEvidence), loss_of_evidence));
  return result;
}

}  // namespace uaspl
