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

using kernels::Into;
using kernels::padded_width;
using kernels::Product;
using kernels::row_stride;

namespace {

constexpr std::size_t kMaxChunks = 32;  // of one step, and so threads of use

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
  refresh_transposed();
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

// Cuts depend on the number of rows alone, never on the number of threads.
Mlp::Chunks Mlp::chunks(std::size_t rows) const {
  const std::size_t count =
      std::clamp<std::size_t>((rows + Workspace::kBlock - 1) / Workspace::kBlock, 1, kMaxChunks);
  const std::size_t each = (rows + count - 1) / count;
  return {(rows + each - 1) / each, each};
}

// At least so many, kept from call to call: fresh memory would cost more than a small step.
const std::vector<std::unique_ptr<Mlp::Workspace>>& Mlp::workspaces(std::size_t count) const {
  auto& spaces = scratch_.spaces;
  while (spaces.size() < count) spaces.push_back(std::make_unique<Workspace>(shape_));
  return spaces;
}

// Runs the task for every chunk of the rows, on the workers where there are several.
void Mlp::for_chunks(std::size_t rows, const ChunkTask& task) const {
  const Chunks cut = chunks(rows);
  const std::size_t workers = workers_ ? workers_->size() : 1;
  const auto& spaces = workspaces(workers);
  const auto run = [&](std::size_t chunk, std::size_t worker) {
    const std::size_t first = chunk * cut.rows;
    task(chunk, first, std::min(first + cut.rows, rows), *spaces[worker]);
  };
  if (workers > 1 && cut.count > 1) {
    workers_->run(cut.count, run);
  } else {
    for (std::size_t chunk = 0; chunk < cut.count; ++chunk) run(chunk, 0);
  }
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
  Workspace& space = *workspaces(1).front();
  space.dropout = dropout;
  space.dropout_seed = seed;
  for (std::size_t first = 0; first < batch.rows.size(); first += Workspace::kBlock) {
    const std::size_t rows = std::min(Workspace::kBlock, batch.rows.size() - first);
    forward(batch, first, rows, space);
    std::ranges::copy(space.logits.values(), all.row(first).data());
  }
  return all;
}

Matrix Mlp::features(const Batch& batch) const {
  Matrix points(batch.rows.size(), shape_.inputs);
  for (std::size_t i = 0; i < points.rows(); ++i)
    std::ranges::copy(inputs_->row(static_cast<std::size_t>(batch.rows[i])), points.row(i).begin());
  return points;
}

void Mlp::forward(const Batch& batch, std::size_t first, std::size_t rows, Workspace& space) const {
  Workspace::Level& input = space.levels.front();
  for (std::size_t i = 0; i < rows; ++i)
    std::ranges::copy(inputs_->row(static_cast<std::size_t>(batch.rows[first + i])),
                      input.values.data() + i * input.stride);
  for (std::size_t l = 0; l + 1 < layers_.size(); ++l) {
    const Layer& layer = layers_[l];
    Workspace::Level& from = space.levels[l];
    Workspace::Level& to = space.levels[l + 1];
    multiply(Product{.rows = rows,
                     .cols = padded_width(layer.out),
                     .depth = layer.in + 1,
                     .a = {from.values.data(), from.stride, 1},
                     .b = weights_.data() + layer.offset,
                     .b_stride = layer.stride,
                     .c = to.values.data(),
                     .c_stride = to.stride,
                     .into = Into::kStore});
    kernels::gelu(to.rows(rows), to.slopes.data());
    if (space.dropout > 0.0F)
      kernels::dropout(to.rows(rows), to.slopes.data(), space.dropout,
                       mix_bits(space.dropout_seed + l), first);
    Workspace::restore_one(to, rows);
  }
  space.logits.resize(rows, shape_.classes);
  kernels::head_forward(space.levels.back().rows_with_one(rows), head(weights_.data()),
                        space.logits.values().data());
}

void Mlp::backward(std::size_t rows, Workspace& space, ChunkGradient::Target gradient) const {
  const float* dlogits = space.dlogits.values().data();
  kernels::head_gradient(space.levels.back().rows_with_one(rows), head(weights_.data()), dlogits,
                         gradient.data + output_layer().offset, gradient.add);
  kernels::head_backward(space.levels.back().slope_rows(rows), head(weights_.data()), dlogits);
  for (std::size_t l = layers_.size() - 1; l-- > 0;) {
    const Layer& layer = layers_[l];
    Workspace::Level& below = space.levels[l];
    const Workspace::Level& above = space.levels[l + 1];  // its slopes now hold dz
    multiply(Product{.rows = layer.in + 1,
                     .cols = padded_width(layer.out),
                     .depth = rows,
                     .a = {below.values.data(), 1, below.stride},
                     .b = above.slopes.data(),
                     .b_stride = above.stride,
                     .c = gradient.data + layer.offset,
                     .c_stride = layer.stride,
                     .into = gradient.add ? Into::kAdd : Into::kStore});
    if (l == 0) break;
    multiply(Product{.rows = rows,
                     .cols = padded_width(layer.in),
                     .depth = layer.out,
                     .a = {above.slopes.data(), above.stride, 1},
                     .b = transposed_[l - 1].data(),
                     .b_stride = row_stride(layer.in),
                     .c = below.slopes.data(),
                     .c_stride = below.stride,
                     .into = Into::kScale});
  }
}

void Mlp::train_chunk(const Batch& batch, const Step& step, const LogitGradient& gradient,
                      std::size_t first, std::size_t last, Workspace& space,
                      ChunkGradient& sum) const {
  space.dropout = step.dropout;
  space.dropout_seed = step.seed;
  for (std::size_t begin = first; begin < last; begin += Workspace::kBlock) {
    const std::size_t rows = std::min(Workspace::kBlock, last - begin);
    forward(batch, begin, rows, space);
    space.dlogits.resize(rows, shape_.classes);
    gradient(begin, space.logits, space.dlogits);
    backward(rows, space, sum.next_block());
  }
}

std::span<const float> Mlp::gradient(const Batch& batch, const Step& step,
                                     const LogitGradient& logit_gradient) const {
  scratch_.gradient.resize(weights_.size());
  Turns turns;
  for_chunks(batch.rows.size(), [&](std::size_t chunk, std::size_t first, std::size_t last,
                                    Workspace& space) {
    const std::size_t blocks = (last - first + Workspace::kBlock - 1) / Workspace::kBlock;
    ChunkGradient sum(turns, static_cast<std::uint32_t>(chunk), blocks, scratch_.gradient,
                      space.gradient);
    train_chunk(batch, step, logit_gradient, first, last, space, sum);
  });
  return scratch_.gradient;
}

void Mlp::update(const Batch& batch, const Step& step, const LogitGradient& logit_gradient) {
  if (batch.rows.empty()) return;
  const std::span<const float> sum = gradient(batch, step, logit_gradient);
  const bool first_step = momentum_.empty();
  momentum_.resize(weights_.size());
  kernels::sgd_step(weights_, momentum_, sum.data(),
                    {step.rate, step.momentum, step.decay, first_step});
  refresh_transposed();
}

void Mlp::refresh_transposed() {
  for (std::size_t l = 1; l + 1 < layers_.size(); ++l) {
    const Layer& layer = layers_[l];
    kernels::transpose(weights_.data() + layer.offset, layer.in, layer.out, layer.stride,
                       transposed_[l - 1].data(), row_stride(layer.in));
  }
}

State Mlp::save() const { return by_name(weights_); }

State Mlp::save_momentum() const { return momentum_.empty() ? State() : by_name(momentum_); }

void Mlp::load(const State& state) {
  set_by_name(state, weights_);
  momentum_.clear();
  refresh_transposed();
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
