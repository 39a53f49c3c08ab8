// Running moments of predictions, see history.hpp.
#include "uaspl/method/history.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "uaspl/loss/softmax.hpp"

namespace uaspl {
namespace {

constexpr std::size_t kColumns = 8;  // of the saved table

}  // namespace

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
    const auto label = static_cast<std::size_t>(labels[row]);
    add(row, softmax_probability(logits.row(i), label));
    add_difficulty(moments_[row], logits.row(i), label);
  }
}

void PredictionHistory::add_difficulty(Moments& m, std::span<const float> logits,
                                       std::size_t label) {
  const auto top = static_cast<std::size_t>(std::ranges::max_element(logits) - logits.begin());
  double sum = 0.0;
  for (const float o : logits)
    sum += std::exp(static_cast<double>(o) - static_cast<double>(logits[top]));
  double squares = 0.0;
  double own = 0.0;
  double other = 0.0;
  for (std::size_t k = 0; k < logits.size(); ++k) {
    const double p =
        std::exp(static_cast<double>(logits[k]) - static_cast<double>(logits[top])) / sum;
    const double miss = p - (k == label ? 1.0 : 0.0);
    squares += miss * miss;
    if (k == label) own = p;
    if (k != label) other = std::max(other, p);
  }
  const auto count = static_cast<double>(m.count);
  m.distance += (std::sqrt(squares) - m.distance) / count;
  m.margin += (own - other - m.margin) / count;
  const bool right = top == label;
  if (m.right && !right) ++m.forgotten;
  if (right) ++m.times_right;
  m.right = right;
}

std::size_t PredictionHistory::forgotten(std::size_t row) const {
  const Moments& m = moments_[row];
  return m.times_right == 0 ? m.count : m.forgotten;
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
  DoubleMatrix table(moments_.size(), kColumns);
  for (std::size_t i = 0; i < moments_.size(); ++i) {
    const Moments& one = moments_[i];
    const std::array<double, kColumns> values{static_cast<double>(one.count),
                                              one.mean,
                                              one.squares,
                                              one.distance,
                                              one.margin,
                                              static_cast<double>(one.forgotten),
                                              static_cast<double>(one.times_right),
                                              one.right ? 1.0 : 0.0};
    std::ranges::copy(values, table.row(i).begin());
  }
  numbers.put("history", std::move(table));
}

void PredictionHistory::load(const SavedState& numbers, std::size_t rows) {
  const DoubleMatrix& table = numbers.matrix("history", rows, kColumns);
  moments_.resize(table.rows());
  for (std::size_t i = 0; i < moments_.size(); ++i)
    moments_[i] = {.count = SavedState::as<std::size_t>(table(i, 0)),
                   .mean = table(i, 1),
                   .squares = table(i, 2),
                   .distance = table(i, 3),
                   .margin = table(i, 4),
                   .forgotten = SavedState::as<std::size_t>(table(i, 5)),
                   .times_right = SavedState::as<std::size_t>(table(i, 6)),
                   .right = table(i, 7) != 0.0};
}

}  // namespace uaspl
