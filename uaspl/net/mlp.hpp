// The native multilayer perceptron: GELU after every hidden layer, row blocks through forward, loss
// and backward while they are in cache, the same bits for any number of threads.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "uaspl/base/threads.hpp"
#include "uaspl/net/kernels.hpp"
#include "uaspl/net/mlp_layout.hpp"
#include "uaspl/net/network.hpp"
#include "uaspl/net/step_plan.hpp"

namespace uaspl {

// As many threads as steps of so many rows can use; none where that is one.
std::shared_ptr<Workers> workers_for(std::size_t rows, std::size_t threads);

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
  // A worker's way to end a step: a panel's gradient is whole.
  using Finish =
      std::function<void(std::size_t task, const MlpPanel& panel, const float* gradient)>;
  struct Workspace;  // activations, slopes and logits of the rows in work
  struct Piece;      // those of one worker
  struct Work {      // a step's
    const Batch& batch;
    const LogitGradient& logit_gradient;
    const Finish& finish;
    Cut cut;
    Workspace& space;
  };

  // Buffers kept between calls and never copied: a network serves one caller at a time.
  struct Scratch {
    std::unique_ptr<Workspace> space;
    std::unique_ptr<Mlp> trial;  // of weight_influence
    ~Scratch();
  };
  using PieceTask = std::function<void(const Piece& piece)>;

  std::size_t tasks(std::size_t rows) const;  // that so many rows are shared in
  void share(std::size_t tasks, const Workers::Task& task) const;
  Workspace& workspace(std::size_t rows) const;
  Piece piece(std::size_t worker, Range block) const;
  void for_pieces(std::size_t rows, const PieceTask& task) const;
  Matrix evaluate(const Batch& batch, float dropout, std::uint64_t seed) const;
  // Of a batch. Every worker finishes with all panels.
  void gradient(const Batch& batch, const Step& step, const LogitGradient& logit_gradient,
                const Finish& finish) const;
  void refresh_copies(std::size_t workers) const;
  void branch_gradient(const Work& work, std::size_t task, Range groups, float* gradient) const;
  void group_gradient(const Work& work, std::size_t task, std::size_t group, float* gradient) const;
  void finish_sum(const Work& work, const Share& share) const;
  void weight_gradient(const Piece& piece, const MlpPanel& panel, float* gradient, bool add) const;
  void descend(const MlpPanel& panel, const float* gradient, const kernels::Sgd& sgd,
               MlpParameters& parameters) const;
  kernels::Head head(const float* parameters) const;
  void forward(const Batch& batch, const Piece& piece) const;
  void backward(const Piece& piece) const;
  void tangent(const float* direction, const Piece& piece) const;
  void weights_changed();
  void forget_copies();
  State by_name(std::span<const float> parameters) const;
  void set_by_name(const State& state, std::span<float> parameters) const;

  std::shared_ptr<const Matrix> inputs_;
  MlpShape shape_;
  std::shared_ptr<Workers> workers_;
  MlpLayout layout_;
  MlpParameters parameters_;
  mutable Scratch scratch_;
};

}  // namespace uaspl
