// Turns features into network inputs, by a standardisation that is fitted on the training rows.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "uaspl/base/error.hpp"
#include "uaspl/base/matrix.hpp"
#include "uaspl/data/table/parse_number.hpp"

namespace uaspl {

struct Scaler {
  std::vector<double> mean;
  std::vector<double> scale;  // population standard deviation; 1 for constant columns
};

// Fits as scikit-learn's StandardScaler on the given rows, in double, with sums in the order of the
// rows. Missing values (NaN) are ignored.
Scaler fit_scaler(const DoubleMatrix& features, std::span<const int> rows);

// Does the same for rows of so many columns that a function makes of their numbers, one at a time.
using RowMaker = std::function<std::span<const double>(std::size_t row)>;
Scaler fit_scaler(std::size_t columns, std::span<const int> rows, const RowMaker& row_of);

// Returns the values of a column that standardise() can turn into floats.
NumberRange range_of(const Scaler& scaler, std::size_t column);

// Thrown for a value that is so far from those that the scaler was fitted on that a float cannot
// hold it after scaling.
class BeyondFloat : public Error {
 public:
  BeyondFloat(std::size_t at_row, std::size_t at_input, const std::string& cell)
      : Error("row " + std::to_string(at_row + 1) + ": input " + std::to_string(at_input + 1) +
              ": '" + cell + "' is too far from the values that the model was trained with"),
        row(at_row),
        input(at_input),
        value(cell) {}
  const std::size_t row;
  const std::size_t input;
  const std::string value;
};

// Computes (x - mean) / scale of a row in double, rounded to float; a missing value becomes 0, the
// mean. Throws BeyondFloat, which names the row by this number, if a result is not finite.
void standardise_row(std::span<const double> features, std::size_t row, const Scaler& scaler,
                     std::span<float> inputs);

// Computes (x - mean) / scale of all rows in double, rounded to float; a missing value becomes 0,
// the mean. Throws BeyondFloat if a result is not finite.
Matrix standardise(const DoubleMatrix& features, const Scaler& scaler);

}  // namespace uaspl
