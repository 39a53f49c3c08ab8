// Computes belief masses from the nearest neighbours (Denoeux's evidential k-nearest-neighbour
// rule): how much the rows around a row support each class, and how much is left to ignorance.
#pragma once

#include <span>
#include <vector>

#include "uaspl/base/matrix.hpp"

namespace uaspl {

// The nearest other rows of every row, and how far apart rows are.
struct Neighbourhood {
  std::size_t count;                   // neighbours of a row: k, or n - 1 if that is less
  std::vector<int> rows;               // n x count, nearest first, ties by position
  std::vector<float> squared;          // their squared distances
  std::vector<double> mean_distances;  // between distinct rows of a class; 0 if it has one
};

// Finds neighbours by brute force over blocks: time n^2 d, memory linear in n.
Neighbourhood find_neighbours(const Matrix& points, std::span<const int> labels,
                              std::size_t classes, std::size_t k);

// Returns the mean distance between all distinct points.
double mean_distance(const Matrix& points);

struct Eknn {
  std::size_t neighbours = 4;  // not counting the row itself
  double alpha = 0.95;         // support that a neighbour at distance 0 gives
};

// Returns n x (K+1) masses: of the single classes, then of the whole frame.
DoubleMatrix eknn_masses(const Matrix& points, std::span<const int> labels, std::size_t classes,
                         const Eknn& options = {});

// Returns the probabilities of the classes, to which the frame's mass is given in equal parts.
DoubleMatrix eknn_pignistic(const DoubleMatrix& masses);

}  // namespace uaspl
