// Belief masses from the nearest neighbours (Denoeux's evidential k-nearest-neighbour rule): how
// far the rows around a row support each class, and how much is left to ignorance.
#pragma once

#include <span>
#include <vector>

#include "uaspl/base/matrix.hpp"

namespace uaspl {

// The nearest other rows of every row, and how far apart rows are.
struct Neighbourhood {
  std::size_t count;                   // neighbours of a row: k, or n - 1 where that is less
  std::vector<int> rows;               // n x count, nearest first, ties by position
  std::vector<float> squared;          // their squared distances
  std::vector<double> mean_distances;  // between distinct rows of a class; 0 where it has one
};

// Brute force over blocks: time n^2 d, memory linear in n.
Neighbourhood find_neighbours(const Matrix& points, std::span<const int> labels,
                              std::size_t classes, std::size_t k);

// Between all distinct points.
double mean_distance(const Matrix& points);

struct Eknn {
  std::size_t neighbours = 4;  // without the row itself
  double alpha = 0.95;         // support that a neighbour at distance 0 gives
};

// n x (K+1): masses of the single classes, then of the whole frame.
DoubleMatrix eknn_masses(const Matrix& points, std::span<const int> labels, std::size_t classes,
                         const Eknn& options = {});

// Probabilities of the classes: the frame's mass in equal parts.
DoubleMatrix eknn_pignistic(const DoubleMatrix& masses);

}  // namespace uaspl
