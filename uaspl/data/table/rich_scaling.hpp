// Scalings that outliers cannot spoil, for the inputs that a table's columns expand to: a robust
// scale with a smooth clip, bins in which an input rises piece by piece, and whitened directions.
// All is plain data that is saved with the model.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "uaspl/base/matrix.hpp"

namespace uaspl {

// What is done with one input. With z = (x - centre) / scale, it is z / sqrt(1 + (z / 3)^2), which
// is z near the middle and never beyond 3.
struct RobustInput {
  std::size_t input;    // its place
  double centre = 0.0;  // median
  double scale = 1.0;   // distance of the quartiles
  bool clipped = true;  // false: z as it is, for inputs of two values
  // Further inputs. Between two knots, one of them rises from 0 to 1 (kRising), or the place of x
  // is shared by the two (kShared, for inputs of few values, which have a knot each); the mean over
  // the training rows is taken off.
  enum class Pieces { kNone, kRising, kShared };
  Pieces pieces = Pieces::kNone;
  std::vector<double> knots = {};  // ascending
  std::vector<double> means = {};  // of the further inputs

  bool operator==(const RobustInput&) const = default;
};

// Directions in the space of the scaled inputs, in which the training rows have variance 1.
struct Whitening {
  std::vector<double> mean = {};  // of the scaled inputs
  DoubleMatrix axes = {};         // a row each; no rows: nothing is whitened
  static constexpr double kClip = 10.0;
};

struct RichScaling {
  std::size_t inputs = 0;                 // how many there are before scaling
  std::vector<RobustInput> columns = {};  // of those that are not constant
  Whitening whitening = {};

  std::size_t width() const;  // after scaling

  // Scales a row of inputs. Finite inputs of any size give finite results; NaN counts as the
  // middle, 0 in all that is made of it. Throws an Error for what is infinite.
  void apply(std::span<const double> row, std::span<float> out) const;
};

enum class Encoding { kStandard, kRobust, kPiecewise, kWhitened };

// Fits a scaling (any but the standard one) to rows of inputs, of which `level` says which ones
// stand for one of several levels of a category: these stay 0 and 1.
RichScaling fit_rich_scaling(const DoubleMatrix& rows, const std::vector<bool>& level,
                             Encoding encoding);

// Throws an Error unless the numbers of a scaling are as apply() needs them.
void check(const RichScaling& scaling);

// The eigenvalues of a symmetric matrix, from the largest, and their vectors of length 1, a row
// each.
struct Eigen {
  std::vector<double> values;
  DoubleMatrix vectors;
};
Eigen eigen_of_symmetric(DoubleMatrix matrix);

}  // namespace uaspl
