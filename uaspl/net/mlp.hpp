// The native multilayer perceptron: GELU after every hidden layer, row blocks through forward, loss
// and backward while they are in cache, the same bits for any number of threads.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "uaspl/base/aligned.hpp"
#include "uaspl/base/threads.hpp"
#include "uaspl/net/chunk_gradient.hpp"
#include "uaspl/net/kernels.hpp"
#include "uaspl/net/network.hpp"

namespace uaspl {

struct MlpShape {
  std::size_t inputs = 0;
  std::vector<std::size_t> hidden = {128, 128};  // at least one layer
  std::size_t classes = 0;
};

class Mlp final : public Network {
 public:
  // Weights as PyTorch draws them for nn.Linear layers after manual_seed(seed). The inputs are
  // shared, not copied; workers, if any, split the rows of a step.
  Mlp(std::shared_ptr<const Matrix> inputs, MlpShape shape, std::uint32_t seed,
      std::shared_ptr<Workers> workers = nullptr);

  Mlp(const Mlp& other);  // weights kept, momentum empty, as clone()
  Mlp& operator=(const Mlp&) = delete;

  std::unique_ptr<Network> clone() const override;
  std::size_t classes() const override { return shape_.classes; }
  Matrix logits(const Batch& batch) const override;
  void update(const Batch& batch, const Step& step, const LogitGradient& gradient) override;
  Abilities abilities() const override { return {true, true, true}; }
  Matrix sampled_logits(const Batch& batch, float dropout, std::uint64_t seed) const override;
  Matrix features(const Batch& batch) const override;  // the inputs
  std::vector<float> weight_influence(const Trial& trial) const override;
  State save() const override;
  void load(const State& state) override;
  State save_momentum() const override;
  void load_momentum(const State& state) override;

  // The same network on other rows, e.g. to predict.
  void bind(std::shared_ptr<const Matrix> inputs);

  // Multiply-adds count two, biases and activations nothing: forward, weight and input gradients.
  static double step_flops(std::size_t rows, const MlpShape& shape);

 private:
  // A layer's weights lie transposed, one row an input, the bias as the row after the last:
  // products run over rows of contiguous outputs. The output layer lies one row a class.
  struct Layer {
    std::size_t in;
    std::size_t out;
    std::size_t stride;  // between rows of weights
    std::size_t offset;  // in the parameter buffer
    bool output;
    std::size_t rows() const { return output ? out : in + 1; }
    std::size_t index(std::size_t o, std::size_t i) const {  // input `in` is the bias
      return offset + (output ? o * stride + i : i * stride + o);
    }
  };
  struct Workspace;  // activations, slopes and logits of one block
  struct Chunks {
    std::size_t count;
    std::size_t rows;
  };

  // Buffers kept between calls and never copied: a network serves one caller at a time.
  struct Scratch {
    std::vector<std::unique_ptr<Workspace>> spaces;  // one a worker
    AlignedVector<float> gradient;                   // of a step
    std::unique_ptr<Mlp> trial;                      // of weight_influence
    ~Scratch();
  };
  using ChunkTask =
      std::function<void(std::size_t chunk, std::size_t first, std::size_t last, Workspace& space)>;

  Chunks chunks(std::size_t rows) const;
  const std::vector<std::unique_ptr<Workspace>>& workspaces(std::size_t count) const;
  void for_chunks(std::size_t rows, const ChunkTask& task) const;
  Matrix evaluate(const Batch& batch, float dropout, std::uint64_t seed) const;
  // Of a batch; valid until the next call.
  std::span<const float> gradient(const Batch& batch, const Step& step,
                                  const LogitGradient& logit_gradient) const;
  const Layer& output_layer() const { return layers_.back(); }
  kernels::Head head(const float* parameters) const;
  void forward(const Batch& batch, std::size_t first, std::size_t rows, Workspace& space) const;
  void backward(std::size_t rows, Workspace& space, ChunkGradient::Target gradient) const;
  void train_chunk(const Batch& batch, const Step& step, const LogitGradient& gradient,
                   std::size_t first, std::size_t last, Workspace& space, ChunkGradient& sum) const;
  void slopes_along(const Batch& batch, const LogitGradient& gradient,
                    std::span<const float> direction, std::size_t first, std::size_t last,
                    Workspace& space, std::span<float> slopes) const;
  void tangent(std::size_t rows, const float* direction, Workspace& space) const;
  void refresh_transposed();
  State by_name(std::span<const float> parameters) const;
  void set_by_name(const State& state, std::span<float> parameters) const;

  std::shared_ptr<const Matrix> inputs_;
  MlpShape shape_;
  std::shared_ptr<Workers> workers_;
  std::vector<Layer> layers_;
  AlignedVector<float> weights_;
  AlignedVector<float> momentum_;                 // empty until the first step
  std::vector<AlignedVector<float>> transposed_;  // of hidden layers after the first, for backward
  mutable Scratch scratch_;
};

}  // namespace uaspl
