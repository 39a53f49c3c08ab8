// Activations, slopes and logits of the rows that are in work inside the native network; for its
// sources only.
#pragma once

#include "uaspl/net/mlp.hpp"

namespace uaspl {

// Room for a block of rows a worker. Buffers are zeroed once: padding columns are never written
// with anything but zeros.
struct Mlp::Workspace {
  struct Level {
    std::size_t width;
    std::size_t stride;
    AlignedVector<float> values;    // activations, a constant one after each row
    AlignedVector<float> slopes;    // gelu', later the gradient on the pre-activations
    AlignedVector<float> tangents;  // change of the values along a direction, where it is asked for
    float* value(std::size_t row) { return values.data() + row * stride; }
    float* slope(std::size_t row) { return slopes.data() + row * stride; }
    float* tangent(std::size_t row) { return tangents.data() + row * stride; }
  };

  // What a worker has for itself.
  struct Desk {
    Matrix logits;                               // what it hands to the loss
    Matrix dlogits;                              // and gets from it
    AlignedVector<float> gradient;               // of its branch of the step's tree
    std::vector<AlignedVector<float>> of_right;  // of the right half of a branch, by its height
    AlignedVector<float> sum;                    // of a panel, over all workers
    MlpParameters copy;                          // of the network's; the first worker has none
    Matrix logit_tangents;    // the part from the change of the last layer's weights
    Matrix carried_tangents;  // and the part from the change of its inputs
  };

  Workspace(const MlpShape& shape, std::size_t workers)
      : rows(workers * Cut::kBlock), desks(workers) {
    add_level(shape.inputs);
    for (const std::size_t width : shape.hidden) add_level(width);
  }

  void add_level(std::size_t width) {
    const std::size_t stride = kernels::row_stride(width);
    levels.push_back({width,
                      stride,
                      AlignedVector<float>(rows * stride),
                      AlignedVector<float>(levels.empty() ? 0 : rows * stride),
                      {}});
    for (std::size_t i = 0; i < rows; ++i) levels.back().value(i)[width] = 1.0F;
  }

  void add_tangents() {
    for (Level& level : levels) level.tangents.resize(level.slopes.size());
  }

  std::size_t rows;
  std::vector<Level> levels;     // inputs, then one a hidden layer
  std::vector<Desk> desks;       // one a worker
  std::size_t fresh_copies = 0;  // of the parameters: those of so many workers after the first
  float dropout = 0.0F;
  std::uint64_t dropout_seed = 0;
};

// Rows of the workspace that one worker has in hand.
struct Mlp::Piece {
  using Level = Workspace::Level;

  kernels::Rows values(Level& level) const {
    return {level.value(at), rows, kernels::padded_width(level.width), level.stride};
  }
  kernels::Rows values_with_one(Level& level) const {
    return {level.value(at), rows, kernels::padded_width(level.width + 1), level.stride};
  }
  kernels::Rows slopes(Level& level) const {
    return {level.slope(at), rows, kernels::padded_width(level.width), level.stride};
  }

  // The activation pass runs over whole vectors and may have covered the constant one.
  void restore_one(Level& level) const {
    for (std::size_t i = at; i < at + rows; ++i) {
      level.value(i)[level.width] = 1.0F;
      level.slope(i)[level.width] = 0.0F;
    }
  }

  Workspace& space;
  Workspace::Desk& desk;
  const MlpParameters& parameters;  // the worker's
  std::size_t first;                // in the batch
  std::size_t at;                   // in the workspace
  std::size_t rows;
};

}  // namespace uaspl
