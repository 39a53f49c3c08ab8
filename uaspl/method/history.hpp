// Records a network's predictions of each row over time: running mean and variance of p(y|x), and
// how hard the row was on the way.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "uaspl/base/matrix.hpp"
#include "uaspl/base/saved_state.hpp"

namespace uaspl {

class PredictionHistory {
 public:
  PredictionHistory() = default;
  explicit PredictionHistory(std::size_t rows) : moments_(rows) {}

  std::size_t rows() const { return moments_.size(); }
  void add(std::size_t row, double probability);
  // Adds one visit of the rows at these positions, with their logits and the labels of all rows.
  void add(std::span<const int> positions, const Matrix& logits, std::span<const int> labels);

  std::size_t visits(std::size_t row) const { return moments_[row].count; }
  double mean(std::size_t row) const { return moments_[row].mean; }
  double variance(std::size_t row) const;  // population variance over the visits; 0 before any

  // Running means over the visits: |p - Y|, and p of the label less the highest other.
  double distance(std::size_t row) const { return moments_[row].distance; }
  double margin(std::size_t row) const { return moments_[row].margin; }
  // How often the prediction went from right to wrong; a row that was never right counts as
  // forgotten at every visit.
  std::size_t forgotten(std::size_t row) const;

  void save(SavedState& numbers) const;
  void load(const SavedState& numbers, std::size_t rows);

  // Returns the history of these rows only, in this order.
  PredictionHistory subset(std::span<const int> positions) const;

 private:
  struct Moments {
    std::size_t count = 0;
    double mean = 0.0;
    double squares = 0.0;  // sum of squared deviations from the mean
    double distance = 0.0;
    double margin = 0.0;
    std::size_t forgotten = 0;
    std::size_t times_right = 0;
    bool right = false;  // at the last visit
  };
  // Adds to a visit how hard the row was in it.
  static void add_difficulty(Moments& m, std::span<const float> logits, std::size_t label);

  std::vector<Moments> moments_;
};

}  // namespace uaspl
