// Measures the uncertainty of a network by its predictions under random dropout.
#pragma once

#include <vector>

#include "uaspl/base/matrix.hpp"

namespace uaspl {

// Moments of class probabilities over several random passes.
class PassMoments {
 public:
  void add(const DoubleMatrix& probabilities);

  std::size_t passes() const { return passes_; }
  std::size_t rows() const { return means_.rows(); }
  std::size_t classes() const { return means_.cols(); }
  double mean(std::size_t row, std::size_t k) const { return means_(row, k); }
  double variance(std::size_t row, std::size_t k) const;  // unbiased; 0 with fewer than two passes
  double mean_entropy(std::size_t row) const { return entropies_[row]; }  // of the passes, in nats
  double entropy_of_mean(std::size_t row) const;

 private:
  std::size_t passes_ = 0;
  DoubleMatrix means_;
  DoubleMatrix squares_;  // sums of squared deviations from the means
  std::vector<double> entropies_;
};

// Returns H(mean p) - mean H(p), at least 0: the part of the uncertainty that more data could
// remove.
double mutual_information(const PassMoments& moments, std::size_t row);

// Returns the balanced entropy of Woo 2023: marginalised joint entropy over H + ln 2, from beta
// distributions that have the passes' moments. The published code counts H twice in the numerator.
double balanced_entropy(const PassMoments& moments, std::size_t row, bool entropy_twice = false);

// The scores of mc_pbald, given a draw from the Gumbel distribution, and of mc_balent. They are low
// for rows that should come early.
double power_score(double information, double power, double gumbel);
double balanced_score(double balanced_entropy);

// Returns the differential entropy of Beta(a+1, b): what Beta(a, b) becomes once the class has been
// observed.
double posterior_entropy(double a, double b);

}  // namespace uaspl
