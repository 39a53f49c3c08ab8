// Defines rows in the form that a network reads: a matrix of encoded rows, or pixels with their
// transform.
#pragma once

#include <span>
#include <utility>
#include <variant>

#include "uaspl/base/matrix.hpp"
#include "uaspl/data/encoder.hpp"

namespace uaspl {

class Inputs {
 public:
  explicit Inputs(Matrix rows) : data_(std::move(rows)) {}
  explicit Inputs(Images images) : data_(std::move(images)) {}

  std::size_t rows() const;

  // Both throw an Error if the inputs are of the other kind.
  const Matrix& matrix() const;
  const Images& images() const;

 private:
  std::variant<Matrix, Images> data_;
};

// Encodes all rows of a data set. Throws an Error if it is not of the encoder's kind and shape.
Inputs encode(const Encoder& encoder, const Dataset& data);

}  // namespace uaspl
