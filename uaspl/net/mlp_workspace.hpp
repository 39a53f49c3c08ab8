// Activations, slopes and logits of one block of rows inside the native network; for its sources
// only.
#pragma once

#include "uaspl/net/mlp.hpp"

namespace uaspl {

// Buffers are zeroed once: padding columns are never written with anything but zeros.
struct Mlp::Workspace {
  static constexpr std::size_t kBlock = 96;  // rows that pass through all layers while in cache

  struct Level {
    std::size_t width;
    std::size_t stride;
    AlignedVector<float> values;    // activations, a constant one after each row
    AlignedVector<float> slopes;    // gelu', later the gradient on the pre-activations
    AlignedVector<float> tangents;  // change of the values along a direction, where it is asked for
    kernels::Rows rows(std::size_t n) {
      return {values.data(), n, kernels::padded_width(width), stride};
    }
    kernels::Rows rows_with_one(std::size_t n) {
      return {values.data(), n, kernels::padded_width(width + 1), stride};
    }
    kernels::Rows slope_rows(std::size_t n) {
      return {slopes.data(), n, kernels::padded_width(width), stride};
    }
  };

  explicit Workspace(const MlpShape& shape) {
    add_level(shape.inputs);
    for (const std::size_t width : shape.hidden) add_level(width);
  }

  void add_level(std::size_t width) {
    const std::size_t stride = kernels::row_stride(width);
    levels.push_back({width,
                      stride,
                      AlignedVector<float>(kBlock * stride),
                      AlignedVector<float>(levels.empty() ? 0 : kBlock * stride),
                      {}});
    for (std::size_t i = 0; i < kBlock; ++i) levels.back().values[i * stride + width] = 1.0F;
  }

  // The activation pass runs over whole vectors and may have covered the constant one.
  static void restore_one(Level& level, std::size_t rows) {
    for (std::size_t i = 0; i < rows; ++i) {
      level.values[i * level.stride + level.width] = 1.0F;
      level.slopes[i * level.stride + level.width] = 0.0F;
    }
  }

  void add_tangents() {
    for (Level& level : levels) level.tangents.resize(level.slopes.size());
    logit_tangents.resize(logits.rows(), logits.cols());
    carried_tangents.resize(logits.rows(), logits.cols());
  }

  std::vector<Level> levels;  // inputs, then one a hidden layer
  Matrix logits;
  Matrix logit_tangents;    // the part from the change of the last layer's weights
  Matrix carried_tangents;  // and the part from the change of its inputs
  Matrix dlogits;
  AlignedVector<float> gradient;  // of a chunk that waits for its turn
  float dropout = 0.0F;
  std::uint64_t dropout_seed = 0;
};

}  // namespace uaspl
