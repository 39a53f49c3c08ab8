// The native multilayer perceptron: GELU after every hidden layer, row blocks through forward, loss
// and backward while they are in cache, the same bits for any number of threads.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "uaspl/base/scratch_pool.hpp"
#include "uaspl/base/threads.hpp"
#include "uaspl/net/mlp/kernels.hpp"
#include "uaspl/net/mlp/layout.hpp"
#include "uaspl/net/mlp/step_cut.hpp"
#include "uaspl/net/network.hpp"

namespace uaspl {

// Returns as many workers as steps of `rows` rows can use; null if that is one thread.
std::shared_ptr<Workers> workers_for(std::size_t rows, std::size_t threads);

class Mlp final : public Network {
 public:
  // Weights as PyTorch draws them for nn.Linear layers after manual_seed(seed). Workers, if any,
  // share the work of a call; they may be shared by several networks.
  Mlp(MlpShape shape, std::uint32_t seed, std::shared_ptr<Workers> workers = nullptr);

  Mlp(const Mlp& other);  // weights kept, momentum empty, as clone()
  Mlp& operator=(const Mlp&) = delete;
  ~Mlp() override;

  std::unique_ptr<Network> clone() const override;
  std::size_t classes() const override { return shape_.classes; }
  Matrix logits(const Batch& batch) const override;
  void update(const Batch& batch, const Step& step, const LogitGradient& gradient) override;
  Abilities abilities() const override { return {true, true, true, true}; }
  Matrix sampled_logits(const Batch& batch, float dropout, std::uint64_t seed) const override;
  Matrix features(const Batch& batch) const override;  // returns the inputs
  std::vector<float> weight_influence(const Trial& trial) const override;
  void answer_always(std::span<const float> logits) override;
  State save() const override;
  void load(const State& state) override;
  State save_momentum() const override;
  void load_momentum(const State& state) override;

  // Multiply-adds count two, biases and activations nothing: forward, weight and input gradients.
  static double step_flops(std::size_t rows, const MlpShape& shape);

 private:
  struct Workspace;      // activations, slopes and logits of a block of rows
  struct WorkerBuffers;  // a worker's gradients
  struct TrialScratch;   // of weight_influence
  struct Piece;          // a block of rows that a worker has in hand
  class Team;            // the threads that do the work of a call

  // A pass over rows of the inputs.
  struct Pass {
    const Matrix& inputs;
    std::span<const int> rows;
    float dropout = 0.0F;
    std::uint64_t dropout_seed = 0;
  };
  // Called by a worker to end a step, when the gradient of a panel is complete.
  using Finish =
      std::function<void(std::size_t task, const MlpPanel& panel, const float* gradient)>;
  struct StepContext {
    const Pass& pass;
    const LogitGradient& logit_gradient;
    const Finish& finish;
    Cut cut;
    std::span<WorkerBuffers> buffers;
  };
  using PieceTask = std::function<void(const Piece& piece)>;

  const Matrix& inputs_of(const Batch& batch) const;  // throws an Error if they do not fit
  ScratchPool<Workspace>::Loan borrow_workspace() const;
  const MlpParameters& parameters_of(std::size_t worker) const;
  Piece piece(Workspace& space, std::size_t worker, Range block) const;
  void for_pieces(Team& team, std::size_t rows, const PieceTask& task) const;
  Matrix evaluate(const Pass& pass) const;
  // Computes the gradient of a batch. Every worker finishes with all panels.
  void gradient(Team& team, const StepContext& context) const;
  void refresh_copies(Team& team);
  void branch_gradient(const StepContext& context, Workspace& space, std::size_t task, Range groups,
                       float* gradient) const;
  void group_gradient(const StepContext& context, Workspace& space, std::size_t task,
                      std::size_t group, float* gradient) const;
  void finish_sum(const StepContext& context, const Share& share) const;
  void weight_gradient(const Piece& piece, const MlpPanel& panel, float* gradient, bool add) const;
  // How the optimiser goes from a gradient to new weights; one of them.
  struct Descent {
    std::optional<kernels::AdamW> adamw;
    kernels::Sgd sgd;
  };
  Descent descent(const Step& step, bool first_step) const;
  void descend(const MlpPanel& panel, const float* gradient, const Descent& descent,
               MlpParameters& parameters) const;
  kernels::Head head(const float* parameters) const;
  void forward(const Pass& pass, const Piece& piece) const;
  void backward(const Piece& piece) const;
  void tangent(const float* direction, const Piece& piece) const;
  void weights_changed();
  void forget_momentum();
  State by_name(std::span<const float> parameters) const;
  void set_by_name(const State& state, std::span<float> parameters) const;

  MlpShape shape_;
  std::shared_ptr<Workers> workers_;
  MlpLayout layout_;
  MlpParameters parameters_;
  double steps_ = 0.0;  // of AdamW since the momentum was empty

  // Buffers of update(), kept from step to step: the gradients of each worker, and the copies of
  // the parameters of all workers but the first. The first `fresh_copies_` copies are up to date.
  std::vector<WorkerBuffers> buffers_;
  std::vector<MlpParameters> copies_;
  std::size_t fresh_copies_ = 0;

  mutable ScratchPool<Workspace> workspaces_;
  mutable ScratchPool<TrialScratch> trials_;
};

}  // namespace uaspl
