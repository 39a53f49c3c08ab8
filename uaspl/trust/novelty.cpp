// The factor on a row's evidence, see novelty.hpp.
#include "uaspl/trust/novelty.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "uaspl/base/error.hpp"

namespace uaspl {
namespace {

constexpr double kFarthest = 1e15;  // of a scaled input: its square is still far from overflowing

double scaled(double x, double mean, double scale) {
  const double z = (x - mean) / scale;
  return std::isnan(z) ? 0.0 : std::clamp(z, -kFarthest, kFarthest);
}

double square(double x) { return x * x; }

}  // namespace

Novelty::Novelty(Data data) : data_(std::move(data)) {
  const auto finite = [](auto x) { return std::isfinite(x); };
  const std::size_t width = data_.mean.size();
  if (data_.scale.size() != width || data_.centres.cols() != width || data_.centres.rows() == 0)
    throw Error("novelty: sizes that do not fit");
  if (!std::ranges::all_of(data_.mean, finite) || !std::ranges::all_of(data_.scale, finite) ||
      !std::ranges::all_of(data_.scale, [](double x) { return x > 0.0; }) ||
      !std::ranges::all_of(data_.centres.values(), finite) ||
      !(data_.unit > 0.0 && std::isfinite(data_.unit)))
    throw Error("novelty: impossible numbers");
  for (const auto& [first, last] : data_.categories)
    if (first >= last || last > width) throw Error("novelty: a category that is not there");
}

// For an unseen level, the farthest known one has 1 where the centre is least.
double Novelty::squared_distance(std::span<const float> centre, std::span<const double> row,
                                 std::span<const char> unseen) const {
  double sum = 0.0;
  for (std::size_t j = 0; j < row.size(); ++j)
    sum += square(row[j] - static_cast<double>(centre[j]));
  for (std::size_t c = 0; c < unseen.size(); ++c) {
    if (!unseen[c]) continue;
    const auto [first, last] = data_.categories[c];
    const float least = *std::min_element(centre.begin() + static_cast<std::ptrdiff_t>(first),
                                          centre.begin() + static_cast<std::ptrdiff_t>(last));
    sum += 1.0 - 2.0 * static_cast<double>(least);
  }
  return sum;
}

double Novelty::known(std::span<const double> inputs) const {
  static thread_local std::vector<double> row;
  static thread_local std::vector<char> unseen;
  row.resize(inputs.size());
  for (std::size_t j = 0; j < inputs.size(); ++j)
    row[j] = scaled(inputs[j], data_.mean[j], data_.scale[j]);
  unseen.clear();
  for (const auto& [first, last] : data_.categories)
    unseen.push_back(std::all_of(inputs.begin() + static_cast<std::ptrdiff_t>(first),
                                 inputs.begin() + static_cast<std::ptrdiff_t>(last),
                                 [](double x) { return x == 0.0; })
                         ? 1
                         : 0);
  double nearest = std::numeric_limits<double>::infinity();
  for (std::size_t c = 0; c < data_.centres.rows(); ++c)
    nearest = std::min(nearest, squared_distance(data_.centres.row(c), row, unseen));
  const double width = static_cast<double>(std::max<std::size_t>(row.size(), 1));
  const double ratio = std::sqrt(std::max(nearest, 0.0) / width) / data_.unit;
  return 1.0 / (1.0 + std::pow(std::min(ratio, 1e60), kPower));
}

}  // namespace uaspl
