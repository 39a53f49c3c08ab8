// Running mean and variance of p(y|x), see history.hpp.
#include "uaspl/method/history.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "uaspl/loss/softmax.hpp"

namespace uaspl {

// Uses Welford's update, which avoids the difference of large sums.
void PredictionHistory::add(std::size_t row, double probability) {
  Moments& m = moments_[row];
  ++m.count;
  const double before = probability - m.mean;
  m.mean += before / static_cast<double>(m.count);
  m.squares += before * (probability - m.mean);
}

void PredictionHistory::add(std::span<const int> positions, const Matrix& logits,
                            std::span<const int> labels) {
  for (std::size_t i = 0; i < positions.size(); ++i) {
    const auto row = static_cast<std::size_t>(positions[i]);
    add(row, softmax_probability(logits.row(i), static_cast<std::size_t>(labels[row])));
  }
}

double PredictionHistory::variance(std::size_t row) const {
  const Moments& m = moments_[row];
  return m.count == 0 ? 0.0 : m.squares / static_cast<double>(m.count);
}

PredictionHistory PredictionHistory::subset(std::span<const int> positions) const {
  PredictionHistory part;
  part.moments_.reserve(positions.size());
  for (const int position : positions)
    part.moments_.push_back(moments_[static_cast<std::size_t>(position)]);
  return part;
}

void PredictionHistory::save(SavedState& numbers) const {
  DoubleMatrix table(moments_.size(), 3);
  for (std::size_t i = 0; i < moments_.size(); ++i) {
    const Moments& one = moments_[i];
    std::ranges::copy(std::array{static_cast<double>(one.count), one.mean, one.squares},
                      table.row(i).begin());
  }
  numbers.put("history", std::move(table));
}

void PredictionHistory::load(const SavedState& numbers, std::size_t rows) {
  const DoubleMatrix& table = numbers.matrix("history", rows, 3);
  moments_.resize(table.rows());
  for (std::size_t i = 0; i < moments_.size(); ++i)
    moments_[i] = {SavedState::as<std::size_t>(table(i, 0)), table(i, 1), table(i, 2)};
}

}  // namespace uaspl
