// The networks for images, see architecture.hpp.
#include "uaspl/net/torch/architecture.hpp"

#include <ATen/CPUGeneratorImpl.h>
#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "uaspl/base/error.hpp"

namespace uaspl {
namespace {

constexpr double kEpsilon = 1e-5;  // of the norms
constexpr double kForget = 0.1;    // share of a batch in the running statistics

// The bound of PyTorch's default for weights: uniform, with the gain of a leaky slope of sqrt(5).
double weight_bound(std::int64_t fan_in) {
  const double gain = std::sqrt(2.0 / (1.0 + std::pow(std::sqrt(5.0), 2)));
  return std::sqrt(3.0) * (gain / std::sqrt(static_cast<double>(fan_in)));
}

double bias_bound(std::int64_t fan_in) { return 1.0 / std::sqrt(static_cast<double>(fan_in)); }

// How images lie in memory on their way through the network; which is fastest was measured, see
// docs/images.md.
enum class Layout {
  kPlain,         // channel by channel
  kChannelsLast,  // pixel by pixel
  kBlocked,       // oneDNN's own, saves its convolutions the conversions
};

at::Tensor lay_out(const at::Tensor& images, Layout layout) {
  if (!images.is_cpu() || layout == Layout::kPlain) return images;
  if (layout == Layout::kBlocked) return at::hasMKLDNN() ? images.to_mkldnn() : images;
  // With one channel, the layouts differ only in the strides, by which libtorch chooses its code.
  const std::int64_t width = images.size(3);
  if (images.size(1) == 1)
    return images.as_strided(images.sizes(), {images.size(2) * width, 1, width, 1});
  return images.contiguous(at::MemoryFormat::ChannelsLast);
}

at::Tensor plain(const at::Tensor& images) {
  return images.is_mkldnn() ? images.to_dense() : images;
}

struct ConvShape {
  std::int64_t in;
  std::int64_t out;
  std::int64_t size;
  std::int64_t stride = 1;
  std::int64_t padding = 0;
  std::int64_t fan_in() const { return in * size * size; }
};

struct Conv {
  Conv(Tensors& tensors, const std::string& name, const ConvShape& made, bool with_bias)
      : shape(made),
        weight(tensors.drawn(name + ".weight", {made.out, made.in, made.size, made.size},
                             weight_bound(made.fan_in()))) {
    if (with_bias) bias = tensors.drawn(name + ".bias", {made.out}, bias_bound(made.fan_in()));
  }
  at::Tensor operator()(const at::Tensor& x) const {
    return at::conv2d(x, weight, bias, shape.stride, shape.padding);
  }

  ConvShape shape;
  at::Tensor weight;
  at::Tensor bias;
};

// A convolution and the norm after it.
struct ConvNorm {
  ConvNorm(Tensors& tensors, const std::string& conv_name, const std::string& norm_name,
           const ConvShape& shape)
      : conv(tensors, conv_name, shape, false),
        scale(tensors.parameter(norm_name + ".weight", shape.out, 1.0)),
        shift(tensors.parameter(norm_name + ".bias", shape.out, 0.0)),
        mean(tensors.buffer(norm_name + ".running_mean", shape.out, 0.0)),
        variance(tensors.buffer(norm_name + ".running_var", shape.out, 1.0)),
        folded(conv) {}

  at::Tensor operator()(const at::Tensor& x, Pass pass) const {
    if (pass == Pass::kEvaluate) return folded(x);
    const at::Tensor y = conv(x);
    if (y.size(0) * y.size(2) * y.size(3) < 2)
      throw Error("network: one small image alone cannot be trained on, since the norms need two");
    const bool moves = pass == Pass::kTrain;
    return at::batch_norm(y, scale, shift, moves ? mean : at::Tensor(),
                          moves ? variance : at::Tensor(), true, kForget, kEpsilon, false);
  }

  void fold() {
    const at::Tensor factor = scale / at::sqrt(variance + kEpsilon);
    folded.weight = conv.weight * factor.view({-1, 1, 1, 1});
    folded.bias = shift - mean * factor;
  }

  Conv conv;
  at::Tensor scale, shift, mean, variance;
  Conv folded;
};

struct Block {
  Block(Tensors& tensors, const std::string& name, std::int64_t in, std::int64_t out,
        std::int64_t stride)
      : first(tensors, name + ".conv1", name + ".bn1", {in, out, 3, stride, 1}),
        second(tensors, name + ".conv2", name + ".bn2", {out, out, 3, 1, 1}) {
    if (stride != 1 || in != out)
      shortcut.emplace_back(tensors, name + ".shortcut.0", name + ".shortcut.1",
                            ConvShape{in, out, 1, stride, 0});
  }

  // Tensors that are changed in place are needed by no gradient.
  at::Tensor operator()(const at::Tensor& x, Pass pass) const {
    at::Tensor y = first(x, pass).relu_();
    y = second(y, pass);
    return y.add_(shortcut.empty() ? x : shortcut.front()(x, pass)).relu_();
  }

  void fold() {
    first.fold();
    second.fold();
    for (ConvNorm& one : shortcut) one.fold();
  }

  ConvNorm first;
  ConvNorm second;
  std::vector<ConvNorm> shortcut;  // one if the shape changes
};

struct ResNetShape {
  std::vector<std::int64_t> widths;
  int blocks;       // of each width
  Layout training;  // evaluation is always blocked
};

class ResNet final : public Architecture {
 public:
  ResNet(Tensors made, const ResNetShape& shape, std::int64_t channels, std::int64_t classes)
      : Architecture(std::move(made)),
        shape_(shape),
        stem_(tensors, "conv1", "bn1", {channels, shape.widths.front(), 3, 1, 1}),
        blocks_(make_blocks(tensors, shape)),
        linear_(tensors, "linear", shape.widths.back(), classes) {}

  at::Tensor features(const at::Tensor& images, Pass pass) const override {
    const Layout layout = pass == Pass::kEvaluate ? Layout::kBlocked : shape_.training;
    at::Tensor x = stem_(lay_out(images, layout), pass).relu_();
    for (const Block& block : blocks_) x = block(x, pass);
    return plain(at::adaptive_avg_pool2d(x, {1, 1})).flatten(1);
  }

  at::Tensor logits(const at::Tensor& features) const override { return linear_(features); }
  std::int64_t width() const override { return linear_.weight.size(1); }

  void fold() override {
    stem_.fold();
    for (Block& block : blocks_) block.fold();
  }

 private:
  static std::vector<Block> make_blocks(Tensors& tensors, const ResNetShape& shape) {
    std::vector<Block> all;
    std::int64_t in = shape.widths.front();
    for (std::size_t l = 0; l < shape.widths.size(); ++l) {
      for (int b = 0; b < shape.blocks; ++b) {
        all.emplace_back(tensors, fmt::format("layer{}.{}", l + 1, b), in, shape.widths[l],
                         l > 0 && b == 0 ? 2 : 1);
        in = shape.widths[l];
      }
    }
    return all;
  }

  ResNetShape shape_;
  ConvNorm stem_;
  std::vector<Block> blocks_;
  Linear linear_;
};

class LeNet final : public Architecture {
 public:
  LeNet(Tensors made, const ImageShape& shape, std::int64_t classes)
      : Architecture(std::move(made)),
        conv1_(tensors, "conv1", {static_cast<std::int64_t>(shape.channels), 6, 5}, true),
        conv2_(tensors, "conv2", {6, 16, 5}, true),
        fc1_(tensors, "fc1", 16 * left(shape.height) * left(shape.width), 120),
        fc2_(tensors, "fc2", 120, 84),
        fc3_(tensors, "fc3", 84, classes) {}

  // Returns what is left of a side after two convolutions and two halvings.
  static std::int64_t left(std::size_t side) {
    return ((static_cast<std::int64_t>(side) - 4) / 2 - 4) / 2;
  }

  at::Tensor features(const at::Tensor& images, Pass pass) const override {
    const auto halved = [](at::Tensor x) { return at::max_pool2d(x.relu_(), {2, 2}, {2, 2}); };
    const at::Tensor x =
        lay_out(images, pass == Pass::kEvaluate ? Layout::kBlocked : Layout::kChannelsLast);
    const at::Tensor maps = plain(halved(conv2_(halved(conv1_(x)))));
    return fc2_(fc1_(maps.flatten(1)).relu_()).relu_();
  }

  at::Tensor logits(const at::Tensor& features) const override { return fc3_(features); }
  std::int64_t width() const override { return fc3_.weight.size(1); }
  void fold() override {}

 private:
  Conv conv1_;
  Conv conv2_;
  Linear fc1_;
  Linear fc2_;
  Linear fc3_;
};

}  // namespace

Tensors::Tensors(std::uint32_t seed, const at::Device& device)
    : words_(at::make_generator<at::CPUGeneratorImpl>(seed)), device_(device) {}

at::Tensor Tensors::drawn(const std::string& name, at::IntArrayRef shape, double bound) {
  at::Tensor value = at::empty(shape, at::kFloat).uniform_(-bound, bound, words_).to(device_);
  parameters.push_back({name, value.set_requires_grad(true)});
  return value;
}

at::Tensor Tensors::parameter(const std::string& name, std::int64_t size, double value) {
  const at::Tensor made = at::full({size}, value, at::TensorOptions(at::kFloat).device(device_));
  parameters.push_back({name, made.set_requires_grad(true)});
  return made;
}

at::Tensor Tensors::buffer(const std::string& name, std::int64_t size, double value) {
  const at::Tensor made = at::full({size}, value, at::TensorOptions(at::kFloat).device(device_));
  buffers.push_back({name, made});
  return made;
}

Linear::Linear(Tensors& tensors, const std::string& name, std::int64_t in, std::int64_t out)
    : weight(tensors.drawn(name + ".weight", {out, in}, weight_bound(in))),
      bias(tensors.drawn(name + ".bias", {out}, bias_bound(in))) {}

// Computes with oneDNN if it is there, rather than with the BLAS, which may be a slow one.
at::Tensor Linear::operator()(const at::Tensor& x) const {
  if (!x.is_cpu() || !at::hasMKLDNN()) return at::linear(x, weight, bias);
  return at::mkldnn_linear(x.to_mkldnn(), weight, bias).to_dense();
}

std::unique_ptr<Architecture> make_architecture(const std::string& name, const ImageShape& shape,
                                                std::size_t classes, std::uint32_t seed,
                                                const at::Device& device) {
  const auto channels = static_cast<std::int64_t>(shape.channels);
  const auto outputs = static_cast<std::int64_t>(classes);
  Tensors tensors(seed, device);
  if (name == "lenet") {
    if (LeNet::left(shape.height) < 1 || LeNet::left(shape.width) < 1)
      throw Error(fmt::format("lenet needs images of 16 x 16 pixels at least, these have {} x {}",
                              shape.height, shape.width));
    return std::make_unique<LeNet>(std::move(tensors), shape, outputs);
  }
  const ResNetShape kSmall{{16, 32, 64}, 1, Layout::kChannelsLast};
  const ResNetShape kFull{{64, 128, 256, 512}, 2, Layout::kBlocked};
  if (name != "resnet18" && name != "resnet8")
    throw Error(fmt::format("the module has no network '{}'", name));
  return std::make_unique<ResNet>(std::move(tensors), name == "resnet18" ? kFull : kSmall, channels,
                                  outputs);
}

}  // namespace uaspl
