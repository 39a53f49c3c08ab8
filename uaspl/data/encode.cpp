// Standardisation, see encode.hpp.
#include "uaspl/data/encode.hpp"

#include <cmath>
#include <limits>

namespace uaspl {

Scaler fit_scaler(const DoubleMatrix& features, std::span<const int> rows) {
  const std::size_t columns = features.cols();
  const auto n = static_cast<double>(rows.size());
  std::vector<double> mean(columns);
  for (const int row : rows)
    for (std::size_t j = 0; j < columns; ++j) mean[j] += features(static_cast<std::size_t>(row), j);
  for (double& m : mean) m /= n;

  std::vector<double> sum(columns);  // of the deviations: corrects the rounding of the mean
  std::vector<double> squares(columns);
  for (const int row : rows) {
    for (std::size_t j = 0; j < columns; ++j) {
      const double deviation = features(static_cast<std::size_t>(row), j) - mean[j];
      sum[j] += deviation;
      squares[j] += deviation * deviation;
    }
  }

  std::vector<double> scale(columns);
  constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
  for (std::size_t j = 0; j < columns; ++j) {
    const double variance = (squares[j] - sum[j] * sum[j] / n) / n;
    const double noise = n * mean[j] * kEpsilon;
    const bool constant = variance <= n * kEpsilon * variance + noise * noise;
    scale[j] = constant ? 1.0 : std::sqrt(variance);
  }
  return {std::move(mean), std::move(scale)};
}

Matrix standardise(const DoubleMatrix& features, const Scaler& scaler) {
  Matrix inputs(features.rows(), features.cols());
  for (std::size_t i = 0; i < features.rows(); ++i)
    for (std::size_t j = 0; j < features.cols(); ++j)
      inputs(i, j) = static_cast<float>((features(i, j) - scaler.mean[j]) / scaler.scale[j]);
  return inputs;
}

}  // namespace uaspl
