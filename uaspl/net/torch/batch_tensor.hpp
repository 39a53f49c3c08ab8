// Converts between our numbers and libtorch's tensors.
#pragma once

#include <ATen/ATen.h>

#include <algorithm>
#include <utility>

#include "uaspl/base/matrix.hpp"
#include "uaspl/data/image/loader.hpp"

namespace uaspl {

inline Matrix to_matrix(const at::Tensor& tensor) {
  const at::Tensor here = tensor.detach().to(at::kCPU).contiguous();
  Matrix matrix(static_cast<std::size_t>(here.size(0)), static_cast<std::size_t>(here.size(1)));
  std::copy_n(here.data_ptr<float>(), matrix.values().size(), matrix.values().data());
  return matrix;
}

// Returns a view, not a copy.
inline at::Tensor view_of(const float* values, at::IntArrayRef shape) {
  return at::from_blob(const_cast<float*>(values), shape, at::kFloat);
}

// A batch as a tensor, in memory that goes back to the loader.
class BatchTensor {
 public:
  BatchTensor(ImageLoader& loader, std::span<const int> rows, const View& view,
              const at::Device& device)
      : loader_(loader), pixels_(loader.take(rows, view)) {
    const ImageShape& shape = loader.shape();
    const auto size = [](std::size_t n) { return static_cast<std::int64_t>(n); };
    tensor = view_of(pixels_.data(), {size(rows.size()), size(shape.channels), size(shape.height),
                                      size(shape.width)})
                 .to(device);
  }
  ~BatchTensor() { loader_.give_back(std::move(pixels_)); }
  BatchTensor(const BatchTensor&) = delete;
  BatchTensor& operator=(const BatchTensor&) = delete;

  at::Tensor tensor;

 private:
  ImageLoader& loader_;
  Pixels pixels_;
};

}  // namespace uaspl
