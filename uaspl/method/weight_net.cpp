// The network from a row's loss to its weight, see weight_net.hpp. Rows are the inner loop, so that
// the compiler makes vectors of it; sums over rows run in eight lanes.
#include "uaspl/method/weight_net.hpp"

#include <algorithm>
#include <cmath>

namespace uaspl {
namespace {

constexpr std::size_t kLanes = 8;

float sigmoid(float x) { return 1.0F / (1.0F + std::exp(-x)); }

// Sums over the rows where the hidden unit is active: of `pull`, and of pull * loss.
struct ActiveSums {
  double pull = 0.0;
  double pull_loss = 0.0;

  ActiveSums(std::span<const float> losses, std::span<const float> pulls, float weight,
             float bias) {
    float lane[kLanes] = {};
    float lane_loss[kLanes] = {};
    const std::size_t whole = losses.size() / kLanes * kLanes;
    for (std::size_t i = 0; i < whole; i += kLanes) {
      for (std::size_t j = 0; j < kLanes; ++j) {
        const float active = weight * losses[i + j] + bias > 0.0F ? pulls[i + j] : 0.0F;
        lane[j] += active;
        lane_loss[j] += active * losses[i + j];
      }
    }
    for (std::size_t i = whole; i < losses.size(); ++i) {
      const float active = weight * losses[i] + bias > 0.0F ? pulls[i] : 0.0F;
      lane[i - whole] += active;
      lane_loss[i - whole] += active * losses[i];
    }
    for (std::size_t j = 0; j < kLanes; ++j) {
      pull += static_cast<double>(lane[j]);
      pull_loss += static_cast<double>(lane_loss[j]);
    }
  }
};

}  // namespace

WeightNet::WeightNet(std::size_t hidden, Stream stream)
    : hidden_(hidden),
      parameters_(3 * hidden + 1),
      first_(parameters_.size()),
      second_(parameters_.size()) {
  const double bound = 1.0 / std::sqrt(static_cast<double>(hidden));
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    const double uniform = 2.0 * stream.uniform() - 1.0;
    parameters_[i] = static_cast<float>(i < 2 * hidden ? uniform : bound * uniform);
  }
}

std::vector<float> WeightNet::outputs(std::span<const float> losses) const {
  std::vector<float> out(losses.size(), parameters_[3 * hidden_]);
  for (std::size_t h = 0; h < hidden_; ++h) {
    const float weight = parameters_[h];
    const float bias = parameters_[hidden_ + h];
    const float factor = parameters_[2 * hidden_ + h];
    for (std::size_t i = 0; i < losses.size(); ++i)
      out[i] += factor * std::max(0.0F, weight * losses[i] + bias);
  }
  return out;
}

void WeightNet::weigh(std::span<const float> losses, std::span<float> weights) const {
  const std::vector<float> out = outputs(losses);
  std::ranges::transform(out, weights.begin(), sigmoid);
}

std::vector<double> WeightNet::gradient(std::span<const float> losses,
                                        std::span<const float> slopes) const {
  std::vector<float> pulls = outputs(losses);  // then: d / d output before the sigmoid
  double sum = 0.0;
  for (std::size_t i = 0; i < pulls.size(); ++i) {
    const float v = sigmoid(pulls[i]);
    pulls[i] = slopes[i] * v * (1.0F - v);
    sum += static_cast<double>(pulls[i]);
  }
  std::vector<double> gradient(parameters_.size());
  for (std::size_t h = 0; h < hidden_; ++h) {
    const float weight = parameters_[h];
    const float bias = parameters_[hidden_ + h];
    const double factor = parameters_[2 * hidden_ + h];
    const ActiveSums sums(losses, pulls, weight, bias);
    gradient[h] = factor * sums.pull_loss;
    gradient[hidden_ + h] = factor * sums.pull;
    gradient[2 * hidden_ + h] =
        static_cast<double>(weight) * sums.pull_loss + static_cast<double>(bias) * sums.pull;
  }
  gradient[3 * hidden_] = sum;
  return gradient;
}

void WeightNet::step(std::span<const double> gradient, double rate, double decay) {
  constexpr double kFirst = 0.9;
  constexpr double kSecond = 0.999;
  constexpr double kEps = 1e-8;
  ++steps_;
  const double first_part = 1.0 - std::pow(kFirst, steps_);
  const double second_part = 1.0 - std::pow(kSecond, steps_);
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    const double value = parameters_[i];
    const double g = gradient[i] + decay * value;
    first_[i] = kFirst * first_[i] + (1.0 - kFirst) * g;
    second_[i] = kSecond * second_[i] + (1.0 - kSecond) * g * g;
    const double scale = std::sqrt(second_[i] / second_part) + kEps;
    parameters_[i] = static_cast<float>(value - rate * (first_[i] / first_part) / scale);
  }
}

void WeightNet::save(SavedState& numbers) const {
  numbers.put("parameters", parameters_);
  numbers.put("first_moments", first_);
  numbers.put("second_moments", second_);
  numbers.put("steps", std::vector{steps_});
}

void WeightNet::load(const SavedState& numbers) {
  const std::size_t size = parameters_.size();
  parameters_ = numbers.get<float>("parameters", size);
  first_ = numbers.get<double>("first_moments", size);
  second_ = numbers.get<double>("second_moments", size);
  steps_ = numbers.count("steps", 1'000'000'000);
}

}  // namespace uaspl
