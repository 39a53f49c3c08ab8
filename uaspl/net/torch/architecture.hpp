// Defines the networks for images as functions of libtorch's tensors: names, shapes, first weights,
// passes.
#pragma once

#include <ATen/ATen.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "uaspl/data/image/images.hpp"

namespace uaspl {

// How the normalisation layers work in a pass, and what is kept for a gradient.
enum class Pass {
  kTrain,     // by the batch; updates the running statistics
  kTrial,     // by the batch; leaves the running statistics as they are
  kEvaluate,  // by the running statistics, folded into the convolutions
};

struct NamedTensor {
  std::string name;  // as in PyTorch's state_dict
  at::Tensor value;
};

// Draws weights as PyTorch does for the same modules in the same order after manual_seed(seed).
class Tensors {
 public:
  Tensors(std::uint32_t seed, const at::Device& device);
  at::Tensor drawn(const std::string& name, at::IntArrayRef shape, double bound);
  at::Tensor parameter(const std::string& name, std::int64_t size, double value);
  at::Tensor buffer(const std::string& name, std::int64_t size, double value);

  std::vector<NamedTensor> parameters;
  std::vector<NamedTensor> buffers;

 private:
  at::Generator words_;
  at::Device device_;
};

struct Linear {
  Linear(Tensors& tensors, const std::string& name, std::int64_t in, std::int64_t out);
  at::Tensor operator()(const at::Tensor& x) const;
  at::Tensor weight;
  at::Tensor bias;
};

class Architecture {
 public:
  virtual ~Architecture() = default;
  // Computes from images (n x channels x height x width) what the last layer sees, n x width.
  virtual at::Tensor features(const at::Tensor& images, Pass pass) const = 0;
  // Computes the weights of evaluation passes, after the weights have changed.
  virtual void fold() = 0;
  virtual at::Tensor logits(const at::Tensor& features) const = 0;
  virtual std::int64_t width() const = 0;  // of the features

  Tensors tensors;

 protected:
  explicit Architecture(Tensors made) : tensors(std::move(made)) {}
};

// Makes one of image_networks().
std::unique_ptr<Architecture> make_architecture(const std::string& name, const ImageShape& shape,
                                                std::size_t classes, std::uint32_t seed,
                                                const at::Device& device);

}  // namespace uaspl
