// A network for images, see torch_network.hpp.
#include "uaspl/net/torch/torch_network.hpp"

#include <ATen/Parallel.h>
#include <c10/core/GradMode.h>
#include <c10/core/InferenceMode.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "uaspl/base/error.hpp"
#include "uaspl/base/rng.hpp"
#include "uaspl/net/torch/batch_tensor.hpp"
#include "uaspl/net/torch/errors.hpp"

namespace uaspl {
namespace {

constexpr std::size_t kBlock = 64;           // images of an evaluation pass, see docs/images.md
constexpr std::size_t kSampledBlock = 4096;  // rows of features

at::Device usable_device(const std::string& name) {
  const std::string cuda = "cuda";
  const bool numbered = name.starts_with(cuda + ":") && name.size() > cuda.size() + 1 &&
                        name.find_first_not_of("0123456789", cuda.size() + 1) == std::string::npos;
  if (name != "cpu" && name != cuda && !numbered)
    throw Error(fmt::format("unknown device '{}'; known: cpu, cuda, cuda:NUMBER", name));
  if (name != "cpu" && !at::hasCUDA())
    throw Error(fmt::format("device {}: this libtorch computes on the CPU only", name));
  return at::Device(name);
}

// Codes of what a rank is about to do, which the other ranks compare with their own.
constexpr std::uint64_t kLogits = 1;
constexpr std::uint64_t kFeatures = 2;
constexpr std::uint64_t kSampled = 3;
constexpr std::uint64_t kStep = 4;

// Returns the factors of each row's features in dropout, scaled to the same mean. They depend only
// on the seed and the row.
at::Tensor dropout_mask(std::span<const int> rows, std::int64_t width, float dropout,
                        std::uint64_t seed) {
  at::Tensor mask = at::empty({static_cast<std::int64_t>(rows.size()), width}, at::kFloat);
  float* out = mask.data_ptr<float>();
  const float kept = 1.0F / (1.0F - dropout);
  const auto limit = static_cast<std::uint64_t>(std::ldexp(static_cast<double>(dropout), 32));
  for (const int row : rows) {
    Stream stream(mix_bits(seed) ^ mix_bits(~static_cast<std::uint64_t>(row)));
    for (std::int64_t i = 0; i < width; ++i) *out++ = (stream.word() >> 32) < limit ? 0.0F : kept;
  }
  return mask;
}

Tensor to_state(const at::Tensor& tensor) {
  const at::Tensor here = tensor.detach().to(at::kCPU).contiguous();
  Tensor copy;
  for (const std::int64_t size : here.sizes()) copy.shape.push_back(static_cast<std::size_t>(size));
  copy.values.assign(here.data_ptr<float>(), here.data_ptr<float>() + here.numel());
  return copy;
}

// Returns the tensor of that name and shape; nothing is copied before all are known to fit.
at::Tensor from_state(const State& state, const std::string& name, const at::Tensor& like) {
  const Tensor* found = find_tensor(state, name);
  if (!found) throw Error("network: no tensor " + name);
  const Tensor& tensor = *found;
  const auto same = [](std::size_t a, std::int64_t b) { return std::cmp_equal(a, b); };
  if (!std::ranges::equal(tensor.shape, like.sizes(), same) ||
      !std::cmp_equal(tensor.values.size(), like.numel()))
    throw Error("network: tensor " + name + " has another shape");
  return view_of(tensor.values.data(), like.sizes());
}

}  // namespace

TorchNetwork::TorchNetwork(const ImageNetworkOptions& options)
    : options_(options), device_(usable_device(options.device)) {
  if (options.classes == 0) throw Error("network: no classes");
  at::set_num_threads(static_cast<int>(std::clamp<std::size_t>(options.threads, 1, 4096)));
  net_ = make_architecture(options.network, options.shape, options.classes, options.seed, device_);
}

std::unique_ptr<Network> TorchNetwork::clone() const {
  return guarded([&] {
    auto copy = std::make_unique<TorchNetwork>(options_);
    copy->copy_weights_of(*this);
    return copy;
  });
}

void TorchNetwork::copy_weights_of(const TorchNetwork& other) {
  const at::NoGradGuard none;
  for (const auto part : {&Tensors::parameters, &Tensors::buffers})
    for (std::size_t i = 0; i < (net_->tensors.*part).size(); ++i)
      (net_->tensors.*part)[i].value.copy_((other.net_->tensors.*part)[i].value);
}

void TorchNetwork::weights_changed() {
  folded_ = false;
  kept_.reset();
}

void TorchNetwork::check(const Images& images) const {
  const ImageSet& set = *images.set;
  const ImageShape& own = options_.shape;
  if (set.shape != own)
    throw Error(
        fmt::format("network: images of {}x{}x{}, it takes {}x{}x{} (channels, height, "
                    "width)",
                    set.shape.channels, set.shape.height, set.shape.width, own.channels, own.height,
                    own.width));
  if (set.pixels.size() != set.rows() * set.shape.size())
    throw Error("images: the pixels are not those of all images");
}

ImageLoader& TorchNetwork::training_loader(const Images& images) {
  if (!loader_ || loader_->images() != images) {
    check(images);
    loader_ = std::make_unique<ImageLoader>(images);
  }
  return *loader_;
}

std::vector<at::Tensor> TorchNetwork::parameters() const {
  std::vector<at::Tensor> all;
  for (const NamedTensor& one : net_->tensors.parameters) all.push_back(one.value);
  return all;
}

void TorchNetwork::expect(const Batch& batch) {
  if (const Batch own = mine(batch); !own.rows.empty())
    training_loader(own.inputs.images()).expect(own.rows, own.view);
}

// Evaluates block by block; the next one is fetched while the present one is computed.
void TorchNetwork::evaluate(const Batch& mine, const FeatureBlock& take) const {
  const c10::InferenceMode guard;
  {
    const std::lock_guard lock(mutex_);
    if (!folded_) net_->fold();
    folded_ = true;
  }
  check(mine.inputs.images());
  ImageLoader loader(mine.inputs.images());
  const std::size_t n = mine.rows.size();
  const auto block = [&](std::size_t first) {
    return mine.rows.subspan(first, std::min(kBlock, n - first));
  };
  for (std::size_t first = 0; first < n; first += kBlock) {
    if (first + kBlock < n) loader.expect(block(first + kBlock), mine.view);
    const BatchTensor seen(loader, block(first), mine.view, device_);
    take(first, net_->features(seen.tensor, Pass::kEvaluate));
  }
}

Matrix TorchNetwork::logits(const Batch& batch) const {
  return guarded([&] {
    Matrix all(batch.rows.size(), options_.classes);
    const std::size_t own = part(batch).first;
    evaluate(mine(batch), [&](std::size_t first, const at::Tensor& features) {
      const Matrix block = to_matrix(net_->logits(features));
      std::ranges::copy(block.values(), all.row(own + first).data());
    });
    share(all, batch, kLogits);
    return all;
  });
}

at::Tensor TorchNetwork::kept_features(const Batch& mine) const {
  const Images& images = mine.inputs.images();
  {
    const std::lock_guard lock(mutex_);
    const bool known =
        kept_ && kept_->images == images && kept_->view.augmented == mine.view.augmented &&
        kept_->view.seed == mine.view.seed && std::ranges::equal(kept_->rows, mine.rows);
    if (known) return kept_->features;
    kept_.reset();
  }
  std::vector<at::Tensor> blocks = {at::empty({0, net_->width()}, device_)};
  evaluate(mine, [&](std::size_t, const at::Tensor& features) { blocks.push_back(features); });
  const auto kept = std::make_shared<const Kept>(
      Kept{images, {mine.rows.begin(), mine.rows.end()}, mine.view, at::cat(blocks)});
  const std::lock_guard lock(mutex_);
  kept_ = kept;
  return kept->features;
}

Matrix TorchNetwork::features(const Batch& batch) const {
  if (batch.rows.empty()) return {};
  return guarded([&] {
    const c10::InferenceMode guard;
    return all_rows(kept_features(mine(batch)), batch, kFeatures);
  });
}

Matrix TorchNetwork::sampled_logits(const Batch& batch, float dropout, std::uint64_t seed) const {
  Matrix all(batch.rows.size(), options_.classes);
  if (batch.rows.empty()) return all;
  guarded([&] {
    const c10::InferenceMode guard;
    const Batch own = mine(batch);
    const at::Tensor features = kept_features(own);
    for (std::size_t first = 0; first < own.rows.size(); first += kSampledBlock) {
      const auto rows = own.rows.subspan(first, std::min(kSampledBlock, own.rows.size() - first));
      const auto begin = static_cast<std::int64_t>(first);
      const at::Tensor block = features.slice(0, begin, begin + std::ssize(rows));
      const at::Tensor mask = dropout_mask(rows, block.size(1), dropout, seed).to(device_);
      std::ranges::copy(to_matrix(net_->logits(block * mask)).values(),
                        all.row(part(batch).first + first).data());
    }
    share(all, batch, mix_bits(seed) + kSampled);
  });
  return all;
}

at::Tensor TorchNetwork::own_logits(const at::Tensor& images, Pass pass,
                                    const at::Tensor& mask) const {
  if (images.size(0) == 0) return at::empty({0, static_cast<std::int64_t>(options_.classes)});
  const at::Tensor features = net_->features(images, pass);
  return net_->logits(mask.defined() ? features * mask : features);
}

void TorchNetwork::update(const Batch& batch, const Step& step, const LogitGradient& gradient) {
  if (batch.rows.empty()) return;
  guarded([&] {
    const at::AutoGradMode on(true);
    const Batch own = mine(batch);
    const BatchTensor seen(training_loader(own.inputs.images()), own.rows, own.view, device_);
    weights_changed();
    at::Tensor mask;
    if (step.dropout > 0.0F)
      mask = dropout_mask(own.rows, net_->width(), step.dropout, step.seed).to(device_);
    const at::Tensor logits = own_logits(seen.tensor, Pass::kTrain, mask);
    Matrix dlogits(batch.rows.size(), options_.classes);
    gradient(0, all_rows(logits, batch, mix_bits(step.seed) + kStep), dlogits);
    std::vector<at::Tensor> sums = gradients(logits, dlogits, batch, Pass::kTrain);

    // Steps as torch.optim.SGD does.
    const at::NoGradGuard none;
    const std::vector<at::Tensor> weights = parameters();
    at::_foreach_add_(sums, weights, step.decay);
    if (momentum_.empty()) {
      momentum_ = std::move(sums);
    } else {
      at::_foreach_mul_(momentum_, step.momentum);
      at::_foreach_add_(momentum_, sums);
    }
    at::_foreach_add_(weights, momentum_, -step.rate);
  });
}

void TorchNetwork::answer_always(std::span<const float> logits) {
  load(constant_state(save(), net_->tensors.parameters.back().name, logits));
}

State TorchNetwork::save() const {
  return guarded([&] {
    State state;
    for (const auto part : {&Tensors::parameters, &Tensors::buffers})
      for (const NamedTensor& one : net_->tensors.*part) state[one.name] = to_state(one.value);
    return state;
  });
}

void TorchNetwork::load(const State& state) {
  guarded([&] {
    std::vector<std::pair<at::Tensor, at::Tensor>> copies;
    for (const auto part : {&Tensors::parameters, &Tensors::buffers})
      for (const NamedTensor& one : net_->tensors.*part)
        copies.emplace_back(one.value, from_state(state, one.name, one.value));
    const at::NoGradGuard none;
    for (auto& [to, from] : copies) to.copy_(from);
    momentum_.clear();
    weights_changed();
  });
}

State TorchNetwork::save_momentum() const {
  return guarded([&] {
    State state;
    for (std::size_t i = 0; i < momentum_.size(); ++i)
      state[net_->tensors.parameters[i].name] = to_state(momentum_[i]);
    return state;
  });
}

void TorchNetwork::load_momentum(const State& state) {
  guarded([&] {
    std::vector<at::Tensor> loaded;
    if (!state.empty())
      for (const NamedTensor& one : net_->tensors.parameters)
        loaded.push_back(from_state(state, one.name, one.value).clone().to(device_));
    momentum_ = std::move(loaded);
  });
}

}  // namespace uaspl
