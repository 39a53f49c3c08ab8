// Standardisation, see scaler.hpp.
#include "uaspl/data/table/scaler.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "uaspl/base/error.hpp"

namespace uaspl {

Scaler fit_scaler(const DoubleMatrix& features, std::span<const int> rows) {
  return fit_scaler(features.cols(), rows, [&](std::size_t row) { return features.row(row); });
}

Scaler fit_scaler(std::size_t columns, std::span<const int> rows, const RowMaker& row_of) {
  const auto visit = [&](auto&& take) {
    for (const int row : rows) {
      const std::span<const double> features = row_of(static_cast<std::size_t>(row));
      for (std::size_t j = 0; j < columns; ++j)
        if (const double x = features[j]; !std::isnan(x)) take(j, x);
    }
  };
  std::vector<double> mean(columns);
  std::vector<double> count(columns);
  visit([&](std::size_t j, double x) { mean[j] += x, count[j] += 1.0; });
  for (std::size_t j = 0; j < columns; ++j) mean[j] = count[j] > 0.0 ? mean[j] / count[j] : 0.0;

  std::vector<double> sum(columns);  // of the deviations: corrects the rounding of the mean
  std::vector<double> squares(columns);
  visit([&](std::size_t j, double x) {
    const double deviation = x - mean[j];
    sum[j] += deviation;
    squares[j] += deviation * deviation;
  });

  std::vector<double> scale(columns, 1.0);
  constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
  for (std::size_t j = 0; j < columns; ++j) {
    const double n = count[j];
    if (n == 0.0) continue;
    const double variance = (squares[j] - sum[j] * sum[j] / n) / n;
    const double noise = n * mean[j] * kEpsilon;
    const bool constant = variance <= n * kEpsilon * variance + noise * noise;
    if (!constant) scale[j] = std::sqrt(variance);
  }
  return {std::move(mean), std::move(scale)};
}

NumberRange range_of(const Scaler& scaler, std::size_t column) {
  const NumberRange all;
  const double mean = scaler.mean[column];
  const double scale = scaler.scale[column];
  return {std::max(all.low, mean + scale * all.low), std::min(all.high, mean + scale * all.high)};
}

namespace {

[[noreturn]] void fail(std::size_t row, std::span<const double> features,
                       std::span<const float> inputs) {
  const auto first = std::ranges::find_if(inputs, [](float x) { return !std::isfinite(x); });
  const auto place = static_cast<std::size_t>(first - inputs.begin());
  throw BeyondFloat(row, place, fmt::format("{}", features[place]));
}

}  // namespace

void standardise_row(std::span<const double> features, std::size_t row, const Scaler& scaler,
                     std::span<float> inputs) {
  bool finite = true;
  for (std::size_t j = 0; j < features.size(); ++j) {
    const double z = (features[j] - scaler.mean[j]) / scaler.scale[j];
    inputs[j] = std::isnan(z) ? 0.0F : static_cast<float>(z);
    finite = finite && std::isfinite(inputs[j]);
  }
  if (!finite) fail(row, features, inputs);
}

Matrix standardise(const DoubleMatrix& features, const Scaler& scaler) {
  Matrix inputs(features.rows(), features.cols());
  for (std::size_t i = 0; i < inputs.rows(); ++i)
    standardise_row(features.row(i), i, scaler, inputs.row(i));
  return inputs;
}

}  // namespace uaspl
