// Computes belief masses from distances to classes and to sets of classes (evidential c-means,
// Masson and Denoeux 2008), with the classes as clusters.
#pragma once

#include <span>
#include <vector>

#include "uaspl/base/matrix.hpp"

namespace uaspl {

// Sets of clusters that masses may be given to.
using FocalSets = std::vector<std::vector<std::size_t>>;

// Returns all non-empty sets of 0..clusters-1 if there are at most `all_up_to` clusters; otherwise
// single clusters, pairs, and the whole frame.
FocalSets focal_sets(std::size_t clusters, std::size_t all_up_to);

// Returns the mean of each cluster's rows.
DoubleMatrix cluster_means(const Matrix& points, std::span<const int> clusters, std::size_t count);

// Computes the masses of one row at a time: m_A ~ 1 / (|A| d_A^2), d_A the distance to the mean of
// the centres in A, and 1 / delta^2 for the empty set (alpha = 1, beta = 2, delta = 10 in the
// authors' notation).
class EvidentialMeans {
 public:
  EvidentialMeans(FocalSets sets, DoubleMatrix centres);

  const FocalSets& sets() const { return sets_; }
  const DoubleMatrix& centres() const { return centres_; }

  // Fills in the mass of every focal set, then of the empty set.
  void masses(std::span<const float> row, std::span<double> out) const;
  // Fills in the pignistic probability of every cluster; the share of the empty set is left out.
  void pignistic(std::span<const float> row, std::span<double> out) const;
  // Returns the sum over rows of (sum over A of |A| m_A^2 d_A^2) + delta^2 m_empty^2, with these
  // masses.
  double objective(const Matrix& points) const;
  // Returns a copy with the centres that minimise the objective while the masses stay as they are.
  EvidentialMeans tuned(const Matrix& points) const;

 private:
  // Computes 1 / (|A| d_A^2) of every focal set.
  void affinities(std::span<const float> row, std::span<double> out) const;

  FocalSets sets_;
  DoubleMatrix centres_;
  std::vector<double> spreads_;  // mean squared distance of a set's centres from their mean
};

struct Ecm {
  bool tune = false;  // move the centres from the class means until the objective converges
  int most_rounds = 100;
  double tolerance = 1e-3;  // of the objective
};

// Returns the class probabilities of all rows, n x K; a class without rows gets none. Uses all 2^K
// - 1 sets up to kAllSets classes (kAllSetsTuned if centres move). Time is n (K d + sum of |A|),
// memory linear in n.
constexpr std::size_t kAllSets = 10;
constexpr std::size_t kAllSetsTuned = 3;
DoubleMatrix ecm_pignistic(const Matrix& points, std::span<const int> labels, std::size_t classes,
                           const Ecm& options = {});

}  // namespace uaspl
