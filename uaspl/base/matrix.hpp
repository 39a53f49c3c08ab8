// A dense row-major matrix that owns its values.
#pragma once

#include <cassert>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace uaspl {

template <typename T>
class BasicMatrix {
 public:
  BasicMatrix() = default;
  BasicMatrix(std::size_t rows, std::size_t cols) { resize(rows, cols); }

  BasicMatrix(std::size_t rows, std::size_t cols, std::vector<T> values)
      : rows_(rows), cols_(cols), values_(std::move(values)) {
    assert(values_.size() == rows * cols);
  }

  std::size_t rows() const { return rows_; }
  std::size_t cols() const { return cols_; }

  T& operator()(std::size_t row, std::size_t col) {
    assert(row < rows_ && col < cols_);
    return values_[row * cols_ + col];
  }
  const T& operator()(std::size_t row, std::size_t col) const {
    assert(row < rows_ && col < cols_);
    return values_[row * cols_ + col];
  }

  std::span<T> row(std::size_t i) { return values().subspan(i * cols_, cols_); }
  std::span<const T> row(std::size_t i) const { return values().subspan(i * cols_, cols_); }
  std::span<T> values() { return values_; }
  std::span<const T> values() const { return values_; }

  // Keeps the memory that the matrix has, so that a buffer can serve blocks of different heights.
  void resize(std::size_t rows, std::size_t cols) {
    rows_ = rows;
    cols_ = cols;
    values_.resize(rows * cols);
  }

 private:
  std::size_t rows_ = 0;
  std::size_t cols_ = 0;
  std::vector<T> values_;
};

using Matrix = BasicMatrix<float>;
using DoubleMatrix = BasicMatrix<double>;

}  // namespace uaspl
