// The native multilayer perceptron, see mlp.hpp and docs/engine.md.
#include "uaspl/net/mlp/mlp.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "uaspl/base/error.hpp"
#include "uaspl/base/rng.hpp"
#include "uaspl/net/mlp/workspace.hpp"

namespace uaspl {

namespace {

// Entries of an optimiser's state, besides the momentum by the names of the weights.
const std::string kSquares = "squares/";
const std::string kSteps = "steps";

std::string parameter_name(std::size_t layer, const char* kind) {
  return "fc" + std::to_string(layer + 1) + "." + kind;
}

MlpShape checked(MlpShape shape) {
  if (shape.inputs == 0 || shape.classes == 0 || shape.hidden.empty() ||
      std::ranges::count(shape.hidden, std::size_t{0}) > 0)
    throw Error("network: every layer needs at least one unit, and there must be a hidden layer");
  return shape;
}

}  // namespace

Mlp::Mlp(MlpShape shape, std::uint32_t seed, std::shared_ptr<Workers> workers)
    : shape_(checked(std::move(shape))), workers_(std::move(workers)), layout_(shape_) {
  parameters_.weights.resize(layout_.size());
  // nn.Linear: weight bound sqrt(3) * gain / sqrt(fan_in) with gain for a leaky slope of sqrt(5).
  Mt19937 words(seed);
  for (const MlpLayer& layer : layout_.layers()) {
    const double root = std::sqrt(static_cast<double>(layer.in));
    const double slope = std::sqrt(5.0);
    const auto bound =
        static_cast<float>(std::sqrt(3.0) * (std::sqrt(2.0 / (1.0 + slope * slope)) / root));
    for (std::size_t o = 0; o < layer.out; ++o)
      for (std::size_t i = 0; i < layer.in; ++i)
        parameters_.weights[layer.index(o, i)] = torch_uniform(words, -bound, bound);
    const auto bias_bound = static_cast<float>(1.0 / root);
    for (std::size_t o = 0; o < layer.out; ++o)
      parameters_.weights[layer.index(o, layer.in)] = torch_uniform(words, -bias_bound, bias_bound);
  }
  weights_changed();
}

Mlp::Mlp(const Mlp& other)
    : Network(other),
      shape_(other.shape_),
      workers_(other.workers_),
      layout_(other.layout_),
      parameters_{other.parameters_.weights, {}, {}, other.parameters_.transposed} {}

Mlp::~Mlp() = default;

std::unique_ptr<Network> Mlp::clone() const { return std::make_unique<Mlp>(*this); }

const Matrix& Mlp::inputs_of(const Batch& batch) const {
  const Matrix& inputs = batch.inputs.matrix();
  if (inputs.cols() != shape_.inputs)
    throw Error("network: the data has " + std::to_string(inputs.cols()) +
                " columns, the network takes " + std::to_string(shape_.inputs));
  return inputs;
}

double Mlp::step_flops(std::size_t rows, const MlpShape& shape) {
  double forward = 0.0;
  std::size_t in = shape.inputs;
  for (const std::size_t out : shape.hidden) {
    forward += 2.0 * static_cast<double>(in * out);
    in = out;
  }
  forward += 2.0 * static_cast<double>(in * shape.classes);
  const double first = 2.0 * static_cast<double>(shape.inputs * shape.hidden.front());
  return static_cast<double>(rows) * (3.0 * forward - first);  // no gradient on the inputs
}

kernels::Head Mlp::head(const float* parameters) const {
  const MlpPanel& panel = layout_.layers().back().panels.front();
  return {parameters + panel.offset, panel.stride, shape_.classes};
}

Matrix Mlp::logits(const Batch& batch) const { return evaluate({inputs_of(batch), batch.rows}); }

Matrix Mlp::sampled_logits(const Batch& batch, float dropout, std::uint64_t seed) const {
  return evaluate({inputs_of(batch), batch.rows, dropout, seed});
}

Matrix Mlp::evaluate(const Pass& pass) const {
  Matrix all(pass.rows.size(), shape_.classes);
  Team team(workers_.get(), all.rows());
  for_pieces(team, all.rows(), [&](const Piece& piece) {
    forward(pass, piece);
    std::ranges::copy(piece.space.logits.values(), all.row(piece.first).data());
  });
  return all;
}

Matrix Mlp::features(const Batch& batch) const {
  const Matrix& inputs = inputs_of(batch);
  Matrix points(batch.rows.size(), shape_.inputs);
  for (std::size_t i = 0; i < points.rows(); ++i)
    std::ranges::copy(inputs.row(static_cast<std::size_t>(batch.rows[i])), points.row(i).begin());
  return points;
}

// Called after the weights were set from outside: what was derived from them is out of date.
void Mlp::weights_changed() {
  layout_.transpose(parameters_);
  fresh_copies_ = 0;
}

void Mlp::answer_always(std::span<const float> logits) {
  load(constant_state(save(), parameter_name(layout_.layers().size() - 1, "bias"), logits));
}

State Mlp::save() const { return by_name(parameters_.weights); }

void Mlp::forget_momentum() {
  parameters_.momentum.clear();
  parameters_.squares.clear();
  steps_ = 0.0;
  fresh_copies_ = 0;
}

// The squares of AdamW are beside the momentum, under names of their own, with the number of steps.
State Mlp::save_momentum() const {
  if (parameters_.momentum.empty()) return {};
  State state = by_name(parameters_.momentum);
  if (parameters_.squares.empty()) return state;
  for (auto& [name, tensor] : by_name(parameters_.squares))
    state[kSquares + name] = std::move(tensor);
  state[kSteps] = {{1}, {static_cast<float>(steps_)}};
  return state;
}

void Mlp::load(const State& state) {
  set_by_name(state, parameters_.weights);
  forget_momentum();
  weights_changed();
}

void Mlp::load_momentum(const State& state) {
  forget_momentum();
  if (state.empty()) return;
  parameters_.momentum.resize(layout_.size());
  set_by_name(state, parameters_.momentum);
  const auto steps = state.find(kSteps);
  if (steps == state.end()) return;
  State squares;
  for (const auto& [name, tensor] : state)
    if (name.starts_with(kSquares)) squares[name.substr(kSquares.size())] = tensor;
  parameters_.squares.resize(layout_.size());
  set_by_name(squares, parameters_.squares);
  steps_ = steps->second.values.empty() ? 0.0 : steps->second.values.front();
}

State Mlp::by_name(std::span<const float> parameters) const {
  State state;
  for (std::size_t l = 0; l < layout_.layers().size(); ++l) {
    const MlpLayer& layer = layout_.layers()[l];
    Tensor weight{{layer.out, layer.in}, {}};
    Tensor bias{{layer.out}, {}};
    for (std::size_t o = 0; o < layer.out; ++o) {
      for (std::size_t i = 0; i < layer.in; ++i)
        weight.values.push_back(parameters[layer.index(o, i)]);
      bias.values.push_back(parameters[layer.index(o, layer.in)]);
    }
    state[parameter_name(l, "weight")] = std::move(weight);
    state[parameter_name(l, "bias")] = std::move(bias);
  }
  return state;
}

// Nothing is changed before all tensors are known to fit. Padding is set to zero again, because a
// step that went wrong may have changed it.
void Mlp::set_by_name(const State& state, std::span<float> parameters) const {
  const auto find = [&](const std::string& name,
                        const std::vector<std::size_t>& shape) -> const std::vector<float>& {
    const auto found = state.find(name);
    if (found == state.end()) throw Error("network: no tensor " + name);
    std::size_t size = 1;
    for (const std::size_t side : shape) size *= side;
    if (found->second.shape != shape || found->second.values.size() != size)
      throw Error("network: tensor " + name + " has another shape");
    return found->second.values;
  };
  AlignedVector<float> values(parameters.size());
  for (std::size_t l = 0; l < layout_.layers().size(); ++l) {
    const MlpLayer& layer = layout_.layers()[l];
    const auto& weight = find(parameter_name(l, "weight"), {layer.out, layer.in});
    const auto& bias = find(parameter_name(l, "bias"), {layer.out});
    for (std::size_t o = 0; o < layer.out; ++o) {
      for (std::size_t i = 0; i < layer.in; ++i)
        values[layer.index(o, i)] = weight[o * layer.in + i];
      values[layer.index(o, layer.in)] = bias[o];
    }
  }
  std::ranges::copy(values, parameters.begin());
}

}  // namespace uaspl
