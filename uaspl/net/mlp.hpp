// The native multilayer perceptron: GELU after every hidden layer, row blocks through forward, loss
// and backward while they are in cache, the same bits for any number of threads.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "uaspl/base/aligned.hpp"
#include "uaspl/base/threads.hpp"
#include "uaspl/net/kernels.hpp"
#include "uaspl/net/network.hpp"
#include "uaspl/net/step_plan.hpp"

namespace uaspl {

struct MlpShape {
  std::size_t inputs = 0;
  std::vector<std::size_t> hidden = {128, 128};  // at least one layer
  std::size_t classes = 0;
};

class Mlp final : public Network {
 public:
  // Weights as PyTorch draws them for nn.Linear layers after manual_seed(seed). The inputs are
  // shared, not copied; workers, if any, share its work.
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
    // A task's own rows of weights; of the output layer, columns. Transposition goes by 4 rows.
    Range own(const Share& share) const {
      return output ? share.of(kernels::padded_width(in + 1), kernels::kPad) : share.of(rows(), 4);
    }
    std::size_t index(std::size_t o, std::size_t i) const {  // input `in` is the bias
      return offset + (output ? o * stride + i : i * stride + o);
    }
  };
  struct Workspace;  // activations, slopes and logits of the rows in work
  struct Piece;      // those of one worker
  struct Work {      // a step's
    const Batch& batch;
    const LogitGradient& logit_gradient;
    Deal deal;
    Workspace& space;
  };

  // Buffers kept between calls and never copied: a network serves one caller at a time.
  struct Scratch {
    std::unique_ptr<Workspace> space;
    AlignedVector<float> gradient;           // of a step
    AlignedVector<float> chunk;              // of a chunk of several blocks
    std::vector<AlignedVector<float>> kept;  // of chunks at the end, the last one first
    std::unique_ptr<Mlp> trial;              // of weight_influence
    ~Scratch();
  };
  using PieceTask = std::function<void(const Piece& piece)>;
  using Finish = std::function<void(const Share& share, std::span<const float> gradient)>;

  std::size_t tasks(std::size_t rows) const;  // that so many rows are worth
  void share(std::size_t tasks, const Workers::Task& task) const;
  Workspace& workspace(std::size_t rows) const;  // for a step of so many
  void for_pieces(std::size_t rows, const PieceTask& task) const;
  void share_rows(Range group, std::size_t tasks, Workspace& space, const PieceTask& task) const;
  void for_ranges(const Share& share, const std::function<void(Range)>& task) const;
  Matrix evaluate(const Batch& batch, float dropout, std::uint64_t seed) const;
  // Of a batch; valid until the next call. Every task finishes with its share of it.
  std::span<const float> gradient(const Batch& batch, const Step& step,
                                  const LogitGradient& logit_gradient, const Finish& finish) const;
  void pass(const Work& work, const Piece& piece) const;
  void add_own(Work& work, std::size_t task) const;
  void add_block(const Share& share, const Work& work, std::size_t first, std::size_t at) const;
  void add_shared(const Work& work) const;
  void add_up(const Share& share, std::span<const float> more) const;
  void weight_gradient(const Share& share, Range rows, Workspace& space, float* gradient,
                       bool add) const;
  void descend(const Share& share, std::span<const float> gradient, const kernels::Sgd& sgd);
  const Layer& output_layer() const { return layers_.back(); }
  kernels::Head head(const float* parameters) const;
  void forward(const Batch& batch, const Piece& piece) const;
  void backward(const Piece& piece) const;
  void tangent(const float* direction, const Piece& piece) const;
  void refresh_transposed(const Share& share);
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
