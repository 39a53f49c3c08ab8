// Defines the shape of the native network, and where its parameters lie in memory.
#pragma once

#include <cstddef>
#include <vector>

#include "uaspl/base/aligned.hpp"
#include "uaspl/net/mlp/kernels.hpp"
#include "uaspl/net/mlp/step_cut.hpp"

namespace uaspl {

struct MlpShape {
  std::size_t inputs = 0;
  std::vector<std::size_t> hidden = {128, 128};  // at least one layer
  std::size_t classes = 0;
};

// Some columns of a matrix, in one piece of memory. A product reads a panel again and again, so it
// is small enough for the first-level cache unless the layer is very wide.
struct MlpPanel {
  static constexpr std::size_t kWidth = 2 * kernels::kPad;

  std::size_t layer;
  Range columns;
  std::size_t offset;  // in a buffer of all panels
  std::size_t stride;  // between rows
  std::size_t size;
};

// A layer's weights have a column for each output, a row for each input, and the bias as an extra
// last row: products run over rows of contiguous outputs. The weights of the output layer have a
// row for each class and are a single panel.
struct MlpLayer {
  std::size_t index(std::size_t o, std::size_t i) const;  // of a weight; input `in` is the bias

  std::size_t in;
  std::size_t out;
  bool output;
  std::vector<MlpPanel> panels;      // in a buffer of all parameters
  std::vector<MlpPanel> transposed;  // a column an input, a row an output, without the bias; for
                                     // the way back through layers between hidden layers
};

// The parameters and their state in training.
struct MlpParameters {
  AlignedVector<float> weights;
  AlignedVector<float> momentum;                 // empty before the first step
  AlignedVector<float> squares;                  // means of squared gradients; AdamW alone has them
  std::vector<AlignedVector<float>> transposed;  // the weights again, by layer
};

class MlpLayout {
 public:
  explicit MlpLayout(const MlpShape& shape);

  const std::vector<MlpLayer>& layers() const { return layers_; }
  std::size_t size() const { return size_; }  // size of a buffer of all parameters
  std::size_t largest_panel() const;

  // Brings the transposed weights of all panels, or of one, up to date.
  void transpose(MlpParameters& parameters) const;
  void transpose(const MlpPanel& panel, MlpParameters& parameters) const;

 private:
  std::vector<MlpLayer> layers_;
  std::size_t size_ = 0;
};

}  // namespace uaspl
