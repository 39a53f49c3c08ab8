// Defines the working memory of the native network; for its own sources only.
#pragma once

#include <memory>
#include <vector>

#include "uaspl/base/denormals.hpp"
#include "uaspl/net/mlp/mlp.hpp"

namespace uaspl {

// Room for a block of rows. Buffers are zeroed once: padding columns are never written with
// anything but zeros.
struct Mlp::Workspace {
  struct Level {
    std::size_t width;
    std::size_t stride;
    AlignedVector<float> values;    // activations, a constant 1 after each row
    AlignedVector<float> slopes;    // gelu', later the gradient on the pre-activations
    AlignedVector<float> tangents;  // change of the values along a direction, if asked for
    float* value(std::size_t row = 0) { return values.data() + row * stride; }
    float* slope(std::size_t row = 0) { return slopes.data() + row * stride; }
    float* tangent() { return tangents.data(); }
  };

  explicit Workspace(const MlpShape& shape) {
    add_level(shape.inputs);
    for (const std::size_t width : shape.hidden) add_level(width);
  }

  void add_level(std::size_t width) {
    const std::size_t stride = kernels::row_stride(width);
    levels.push_back({width,
                      stride,
                      AlignedVector<float>(Cut::kBlock * stride),
                      AlignedVector<float>(levels.empty() ? 0 : Cut::kBlock * stride),
                      {}});
    for (std::size_t i = 0; i < Cut::kBlock; ++i) levels.back().value(i)[width] = 1.0F;
  }

  void add_tangents() {
    for (Level& level : levels) level.tangents.resize(level.slopes.size());
  }

  std::vector<Level> levels;  // inputs, then one for each hidden layer
  Matrix logits;              // handed to the loss
  Matrix dlogits;             // returned by the loss
  Matrix logit_tangents;      // the part from the change of the last layer's weights
  Matrix carried_tangents;    // the part from the change of its inputs
};

struct Mlp::WorkerBuffers {
  AlignedVector<float> gradient;               // of its branch of the step's tree
  std::vector<AlignedVector<float>> of_right;  // of the right half of a branch, by its height
  AlignedVector<float> sum;                    // of a panel, over all workers
};

struct Mlp::TrialScratch {
  explicit TrialScratch(const Mlp& network) : after(network) {}
  Mlp after;  // the network after the trial step
  std::vector<WorkerBuffers> buffers;
};

struct Mlp::Piece {
  using Level = Workspace::Level;

  kernels::Rows values(Level& level) const {
    return {level.value(), rows, kernels::padded_width(level.width), level.stride};
  }
  kernels::Rows values_with_one(Level& level) const {
    return {level.value(), rows, kernels::padded_width(level.width + 1), level.stride};
  }
  kernels::Rows slopes(Level& level) const {
    return {level.slope(), rows, kernels::padded_width(level.width), level.stride};
  }

  // Restores the constant 1: the activation pass runs over whole vectors and may have overwritten
  // it.
  void restore_one(Level& level) const {
    for (std::size_t i = 0; i < rows; ++i) {
      level.value(i)[level.width] = 1.0F;
      level.slope(i)[level.width] = 0.0F;
    }
  }

  Workspace& space;
  const MlpParameters& parameters;  // the worker's
  std::size_t first;                // place of its first row in the batch
  std::size_t rows;
};

// The network's workers, or the caller alone if there are few rows or another call has the workers.
// The choice changes no bit of a result.
class Mlp::Team {
 public:
  Team(Workers* workers, std::size_t rows)
      : claim_(workers && Cut(rows).tasks(workers->size()) > 1 ? workers->try_claim()
                                                               : Workers::Claim()),
        workers_(workers),
        tasks_(claim_ ? Cut(rows).tasks(workers->size()) : 1) {}

  std::size_t tasks() const { return tasks_; }

  template <typename Task>
  void run(const Task& task) {
    const auto compute = [&](std::size_t number, std::size_t worker) {
      const WithoutDenormals mode;
      task(number, worker);
    };
    if (tasks_ == 1) return compute(0, 0);
    workers_->run_at_home(tasks_, compute);
  }

 private:
  Workers::Claim claim_;
  Workers* workers_;
  std::size_t tasks_;
};

}  // namespace uaspl
