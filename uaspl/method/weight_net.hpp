// A small network from a row's loss to its weight: 1 - hidden (ReLU) - 1 (sigmoid), trained by
// Adam.
#pragma once

#include <span>
#include <vector>

#include "uaspl/base/rng.hpp"
#include "uaspl/base/saved_state.hpp"

namespace uaspl {

class WeightNet {
 public:
  // Weights and biases as nn.Linear draws them: U(-1, 1), then U(-1/sqrt(hidden), 1/sqrt(hidden)).
  WeightNet(std::size_t hidden, Stream stream);

  // Weights of rows, 0..1, from their losses. Safe to call concurrently.
  void weigh(std::span<const float> losses, std::span<float> weights) const;

  // d (sum of slopes[i] * weight of row i) / d parameters, in their order.
  std::vector<double> gradient(std::span<const float> losses, std::span<const float> slopes) const;

  // One step of Adam (betas 0.9 and 0.999, eps 1e-8), the decay added to the gradient.
  void step(std::span<const double> gradient, double rate, double decay);

  void save(SavedState& numbers) const;
  void load(const SavedState& numbers);

  // Weights and biases of the hidden layer, weights and bias of the output.
  std::span<const float> parameters() const { return parameters_; }
  std::span<float> parameters() { return parameters_; }

 private:
  std::vector<float> outputs(std::span<const float> losses) const;  // before the sigmoid

  std::size_t hidden_;
  std::vector<float> parameters_;
  std::vector<double> first_;  // Adam's moments
  std::vector<double> second_;
  int steps_ = 0;
};

}  // namespace uaspl
