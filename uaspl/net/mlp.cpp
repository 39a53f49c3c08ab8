// The native multilayer perceptron, see mlp.hpp and docs/engine.md.
#include "uaspl/net/mlp.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "uaspl/base/error.hpp"
#include "uaspl/base/rng.hpp"
#include "uaspl/net/mlp_workspace.hpp"

namespace uaspl {

using kernels::row_stride;

namespace {

std::string parameter_name(std::size_t layer, const char* kind) {
  return "fc" + std::to_string(layer + 1) + "." + kind;
}

}  // namespace

Mlp::Scratch::~Scratch() = default;

Mlp::Mlp(std::shared_ptr<const Matrix> inputs, MlpShape shape, std::uint32_t seed,
         std::shared_ptr<Workers> workers)
    : shape_(std::move(shape)), workers_(std::move(workers)) {
  if (shape_.inputs == 0 || shape_.classes == 0 || shape_.hidden.empty() ||
      std::ranges::count(shape_.hidden, std::size_t{0}) > 0)
    throw Error("network: every layer needs at least one unit, and there must be a hidden layer");
  std::vector<std::size_t> widths = shape_.hidden;
  widths.insert(widths.begin(), shape_.inputs);
  widths.push_back(shape_.classes);
  std::size_t size = 0;
  for (std::size_t l = 0; l + 1 < widths.size(); ++l) {
    const bool output = l + 2 == widths.size();
    Layer layer{widths[l], widths[l + 1], row_stride(output ? widths[l] : widths[l + 1]), size,
                output};
    size += layer.rows() * layer.stride;
    layers_.push_back(layer);
  }
  weights_.resize(size);

  // nn.Linear: weight bound sqrt(3) * gain / sqrt(fan_in) with gain for a leaky slope of sqrt(5).
  Mt19937 words(seed);
  for (const Layer& layer : layers_) {
    const double root = std::sqrt(static_cast<double>(layer.in));
    const double slope = std::sqrt(5.0);
    const auto bound =
        static_cast<float>(std::sqrt(3.0) * (std::sqrt(2.0 / (1.0 + slope * slope)) / root));
    for (std::size_t o = 0; o < layer.out; ++o)
      for (std::size_t i = 0; i < layer.in; ++i)
        weights_[layer.index(o, i)] = torch_uniform(words, -bound, bound);
    const auto bias_bound = static_cast<float>(1.0 / root);
    for (std::size_t o = 0; o < layer.out; ++o)
      weights_[layer.index(o, layer.in)] = torch_uniform(words, -bias_bound, bias_bound);
  }
  for (std::size_t l = 1; l + 1 < layers_.size(); ++l)
    transposed_.emplace_back(layers_[l].out * row_stride(layers_[l].in));
  refresh_transposed({0, 1});
  bind(std::move(inputs));
}

Mlp::Mlp(const Mlp& other)
    : Network(other),
      inputs_(other.inputs_),
      shape_(other.shape_),
      workers_(other.workers_),
      layers_(other.layers_),
      weights_(other.weights_),
      transposed_(other.transposed_) {}

std::unique_ptr<Network> Mlp::clone() const { return std::make_unique<Mlp>(*this); }

void Mlp::bind(std::shared_ptr<const Matrix> inputs) {
  if (inputs->cols() != shape_.inputs)
    throw Error("network: the data has " + std::to_string(inputs->cols()) +
                " columns, the network takes " + std::to_string(shape_.inputs));
  inputs_ = std::move(inputs);
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
  const Layer& layer = output_layer();
  return {parameters + layer.offset, layer.stride, layer.out};
}

Matrix Mlp::logits(const Batch& batch) const { return evaluate(batch, 0.0F, 0); }

Matrix Mlp::sampled_logits(const Batch& batch, float dropout, std::uint64_t seed) const {
  return evaluate(batch, dropout, seed);
}

Matrix Mlp::evaluate(const Batch& batch, float dropout, std::uint64_t seed) const {
  Matrix all(batch.rows.size(), shape_.classes);
  Workspace& space = workspace(all.rows());
  space.dropout = dropout;
  space.dropout_seed = seed;
  for_pieces(all.rows(), [&](const Piece& piece) {
    forward(batch, piece);
    std::ranges::copy(piece.desk.logits.values(), all.row(piece.first).data());
  });
  return all;
}

Matrix Mlp::features(const Batch& batch) const {
  Matrix points(batch.rows.size(), shape_.inputs);
  for (std::size_t i = 0; i < points.rows(); ++i)
    std::ranges::copy(inputs_->row(static_cast<std::size_t>(batch.rows[i])), points.row(i).begin());
  return points;
}

State Mlp::save() const { return by_name(weights_); }

State Mlp::save_momentum() const { return momentum_.empty() ? State() : by_name(momentum_); }

void Mlp::load(const State& state) {
  set_by_name(state, weights_);
  momentum_.clear();
  refresh_transposed({0, 1});
}

void Mlp::load_momentum(const State& state) {
  momentum_.clear();
  if (state.empty()) return;
  momentum_.resize(weights_.size());
  set_by_name(state, momentum_);
}

State Mlp::by_name(std::span<const float> parameters) const {
  State state;
  for (std::size_t l = 0; l < layers_.size(); ++l) {
    const Layer& layer = layers_[l];
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

void Mlp::set_by_name(const State& state, std::span<float> parameters) const {
  const auto find = [&](const std::string& name,
                        const std::vector<std::size_t>& shape) -> const Tensor& {
    const auto found = state.find(name);
    if (found == state.end()) throw Error("network: no tensor " + name);
    if (found->second.shape != shape) throw Error("network: tensor " + name + " has another shape");
    return found->second;
  };
  for (std::size_t l = 0; l < layers_.size(); ++l) {
    const Layer& layer = layers_[l];
    const Tensor& weight = find(parameter_name(l, "weight"), {layer.out, layer.in});
    const Tensor& bias = find(parameter_name(l, "bias"), {layer.out});
    for (std::size_t o = 0; o < layer.out; ++o) {
      for (std::size_t i = 0; i < layer.in; ++i)
        parameters[layer.index(o, i)] = weight.values[o * layer.in + i];
      parameters[layer.index(o, layer.in)] = bias.values[o];
    }
  }
}

}  // namespace uaspl
