// Makes probabilities mean what they say: a temperature for them and an amount of evidence, both
// fitted on predictions of rows that were not trained on.
#pragma once

#include <cstddef>
#include <span>

#include "uaspl/base/matrix.hpp"

namespace uaspl {

// The probabilities p of a row become p^temperature, normalised. Its Dirichlet parameters are then
// alpha_k = 1 + evidence * g * p_k, where g in (0, 1] says how well the row is known.
struct Tempering {
  double temperature = 1.0;
  double evidence = 100.0;

  static constexpr double kLowestTemperature = 0.05;
  static constexpr double kHighestTemperature = 4.5;
  static constexpr double kLeastEvidence = 2.718281828459045;  // e
  static constexpr double kMostEvidence = 8103.083927575384;   // e^9
};

// Raises the probabilities of one row to the power and normalises them. The order of the classes
// stays as it is.
void sharpen(std::span<double> probabilities, double temperature);

// Fits both by the lowest log-loss of the rows: first the temperature, then the evidence with the
// means (1 + E g p) / (K + E g). `known` has g for each row; empty: 1. `weights` may be empty: 1.
struct JudgedRows {
  const DoubleMatrix& probabilities;
  std::span<const int> labels;
  std::span<const double> known = {};
  std::span<const float> weights = {};
};
Tempering fit_tempering(const JudgedRows& rows);

}  // namespace uaspl
