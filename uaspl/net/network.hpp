// The interface of networks: a network turns rows into logits, and a gradient on the logits into
// one step.
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

// Some rows of the inputs, and the view of them; tables have only one view.
struct Batch {
  const Inputs& inputs;
  std::span<const int> rows;
  View view = {};
};

enum class Optimiser { kSgd, kAdamW };

// One step of stochastic gradient descent as torch.optim.SGD defines it, or of torch.optim.AdamW.
struct Step {
  Optimiser optimiser = Optimiser::kSgd;
  float rate = 0.1F;
  float momentum = 0.9F;     // AdamW: beta 1
  float second_keep = 0.0F;  // AdamW: beta 2, what is kept of the mean of the squared gradients
  float decay = 5e-4F;       // on all parameters, biases included; AdamW: decoupled
  float dropout = 0.0F;
  std::uint64_t seed = 0;  // of the dropout masks
};

// Receives the logits of a block of rows and fills in the gradient of the step's loss on them.
// Called once per block, possibly concurrently; first_row is the block's place in the batch. Where
// blocks begin and end may depend on the number of threads, so each row must be treated on its own.
using LogitGradient =
    std::function<void(std::size_t first_row, const Matrix& logits, Matrix& dlogits)>;

// What a network can do beyond logits and steps. Methods name the abilities that they need, and are
// refused before training if one is missing.
struct Abilities {
  bool sampled_logits = false;
  bool features = false;
  bool weight_influence = false;
  bool constant = false;
};
// Returns the abilities in words.
std::vector<std::string> ability_names(const Abilities& abilities);
// Returns the abilities that `needed` has and `present` lacks.
Abilities missing_abilities(const Abilities& needed, const Abilities& present);

// A trial step of plain gradient descent on some rows, judged by other rows after it.
struct Trial {
  Batch train;
  // Gradient of the step's loss, weights and mean included; called once for each row, at the
  // present weights, before the other two.
  LogitGradient train_step;
  LogitGradient train_row;  // gradient of each row's own loss
  Batch meta;
  LogitGradient meta_mean;  // gradient of the judging loss
  float rate;
};

struct Tensor {
  std::vector<std::size_t> shape;
  std::vector<float> values;  // row-major
};
using State = std::map<std::string, Tensor>;

// Returns the tensor that a network calls by this name, or null. The last layer of a ResNet is
// `linear` here, and may be `fc` in the state.
const Tensor* find_tensor(const State& state, const std::string& name);

// Returns the weights with which a network answers these logits to every row, from its weights and
// the name of the biases of its output.
State constant_state(State weights, const std::string& output_biases,
                     std::span<const float> logits);

// Weights, and what is computed with them on given rows. Const functions may be called from any
// number of threads at once; if several processes share the work, they must all call them in the
// same order, and so from one thread.
class Network {
 public:
  virtual ~Network() = default;

  // Returns a copy with the same weights and an empty momentum; every method of a run starts from
  // one.
  virtual std::unique_ptr<Network> clone() const = 0;
  virtual std::size_t classes() const = 0;

  // Makes an evaluation pass, which changes nothing.
  virtual Matrix logits(const Batch& batch) const = 0;

  // Makes a forward pass, the gradient, a backward pass and one step.
  virtual void update(const Batch& batch, const Step& step, const LogitGradient& gradient) = 0;

  // Announces the batch of the update after the next one, so that its data can be fetched
  // meanwhile.
  virtual void expect(const Batch& /*batch*/) {}

  // The base versions of the abilities throw.
  virtual Abilities abilities() const { return {}; }

  // Makes an evaluation pass with dropout, whose masks are drawn by the seed.
  virtual Matrix sampled_logits(const Batch& batch, float dropout, std::uint64_t seed) const;

  // Returns rows as points between which distances mean something: the inputs, or what a deep
  // network makes of them.
  virtual Matrix features(const Batch& batch) const;

  // Returns for each row of trial.train: d (judging loss after the step) / d (that row's factor in
  // the step's loss) = -rate <G, g_i>, G the judging gradient after the step, g_i the row's before
  // it.
  virtual std::vector<float> weight_influence(const Trial& trial) const;

  // Makes the network answer these logits, whatever the row: all weights become 0, but for the
  // biases of the output.
  virtual void answer_always(std::span<const float> logits);

  // Returns the weights by PyTorch's names, with its shapes and order of values.
  virtual State save() const = 0;
  virtual void load(const State& state) = 0;

  // Returns the momentum of the optimiser, by the names of the weights; empty before the first
  // step.
  virtual State save_momentum() const { return {}; }
  virtual void load_momentum(const State& /*state*/) {}

 protected:
  Network() = default;
  Network(const Network&) = default;
  Network& operator=(const Network&) = default;
};

}  // namespace uaspl
