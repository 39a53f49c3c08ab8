// The seam: a network turns rows into logits, and a gradient on the logits into one step.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "uaspl/base/matrix.hpp"
#include "uaspl/base/view.hpp"
#include "uaspl/net/inputs.hpp"

namespace uaspl {

// Some rows of the inputs, and how to look at them; tables have one look.
struct Batch {
  const Inputs& inputs;
  std::span<const int> rows;
  View view = {};
};

// One step of stochastic gradient descent, as torch.optim.SGD defines it.
struct Step {
  float rate = 0.1F;
  float momentum = 0.9F;
  float decay = 5e-4F;  // on all parameters, biases included
  float dropout = 0.0F;
  std::uint64_t seed = 0;  // of the dropout masks
};

// Receives the logits of a block of rows and fills in the gradient of the step's loss on them.
// Called once per block, possibly concurrently; first_row is the block's place in the batch. Where
// blocks begin and end may depend on the number of threads, so rows are to be treated one by one.
using LogitGradient =
    std::function<void(std::size_t first_row, const Matrix& logits, Matrix& dlogits)>;

// What a network can do beyond logits and steps. Methods name what they need of it, and are refused
// before training where it is missing.
struct Abilities {
  bool sampled_logits = false;
  bool features = false;
  bool weight_influence = false;
};
// In words.
std::vector<std::string> ability_names(const Abilities& abilities);
// What `needed` asks for and `present` lacks.
Abilities missing_abilities(const Abilities& needed, const Abilities& present);

// A trial step of plain gradient descent on some rows, judged by other rows after it.
struct Trial {
  Batch train;
  // Gradient of the step's loss, weights and mean included; called once for each row, at the
  // present weights, before the other two.
  LogitGradient train_step;
  LogitGradient train_row;  // gradient of each row's own loss
  Batch meta;
  LogitGradient meta_mean;  // gradient of the loss that judges
  float rate;
};

struct Tensor {
  std::vector<std::size_t> shape;
  std::vector<float> values;  // row-major
};
using State = std::map<std::string, Tensor>;

// Weights, and what is computed with them on rows that the network is handed. Functions that are
// const may be called from any number of threads at once; where several processes share the work,
// they must call them in one order, and so from one thread.
class Network {
 public:
  virtual ~Network() = default;

  // A copy with the same weights and an empty momentum: all methods of a run start from one.
  virtual std::unique_ptr<Network> clone() const = 0;
  virtual std::size_t classes() const = 0;

  // Evaluation pass; changes nothing.
  virtual Matrix logits(const Batch& batch) const = 0;

  // Forward pass, gradient, backward pass, one step.
  virtual void update(const Batch& batch, const Step& step, const LogitGradient& gradient) = 0;

  // The batch of the update after the next one: what has to be fetched for it can be fetched
  // meanwhile.
  virtual void expect(const Batch& /*batch*/) {}

  // The base versions of the abilities throw.
  virtual Abilities abilities() const { return {}; }

  // Evaluation pass with dropout, its masks drawn by the seed.
  virtual Matrix sampled_logits(const Batch& batch, float dropout, std::uint64_t seed) const;

  // Rows as points in which distances mean something: inputs, or what a deep network makes of them.
  virtual Matrix features(const Batch& batch) const;

  // For each row of trial.train: d (judging loss after the step) / d (that row's factor in the
  // step's loss) = -rate <G, g_i>, G the judging gradient after the step, g_i the row's before it.
  virtual std::vector<float> weight_influence(const Trial& trial) const;

  // Weights by PyTorch's names, shapes and order of values.
  virtual State save() const = 0;
  virtual void load(const State& state) = 0;

  // Of the optimiser, by the names of the weights; empty before the first step.
  virtual State save_momentum() const { return {}; }
  virtual void load_momentum(const State& /*state*/) {}

 protected:
  Network() = default;
  Network(const Network&) = default;
  Network& operator=(const Network&) = default;
};

}  // namespace uaspl
