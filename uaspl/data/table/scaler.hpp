// Turning features into network inputs: standardisation fitted on the training rows.
#pragma once

#include <span>
#include <vector>

#include "uaspl/base/matrix.hpp"

namespace uaspl {

struct Scaler {
  std::vector<double> mean;
  std::vector<double> scale;  // population standard deviation; 1 for constant columns
};

// scikit-learn's StandardScaler on the given rows, in double, sums in the order of the rows.
// Missing values (NaN) are passed over.
Scaler fit_scaler(const DoubleMatrix& features, std::span<const int> rows);

// All rows, (x - mean) / scale in double, then rounded to float; a missing value becomes 0, the
// mean.
Matrix standardise(const DoubleMatrix& features, const Scaler& scaler);

// Some rows.
Matrix standardise(const DoubleMatrix& features, std::span<const int> rows, const Scaler& scaler);

}  // namespace uaspl
