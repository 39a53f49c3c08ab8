// Cross-entropy as minus the log of a softmax in float, with the gradient that goes back through
// both, see cross_entropy.hpp.
#include <algorithm>
#include <cmath>
#include <limits>

#include "uaspl/loss/cross_entropy.hpp"

namespace uaspl {
namespace {

// Numbers too small for a float are 0, whether or not the processor keeps denormal ones.
float rounded(double value) {
  return value < static_cast<double>(std::numeric_limits<float>::min()) ? 0.0F
                                                                        : static_cast<float>(value);
}

void one_row(const LossBlock& block, std::size_t row) {
  const auto logit = [&](std::size_t k) {
    return static_cast<float>(block.logits[k * block.stride + row]);
  };
  const auto label = static_cast<std::size_t>(block.labels[row]);
  float top = logit(0);
  for (std::size_t k = 1; k < block.classes; ++k) top = std::max(top, logit(k));
  float sum = 0.0F;
  for (std::size_t k = 0; k < block.classes; ++k) {
    const double power = std::exp(static_cast<double>(logit(k) - top));
    sum += std::isnan(power) ? std::numeric_limits<float>::quiet_NaN() : rounded(power);
  }
  const auto probability = [&](std::size_t k) {
    const float power = rounded(std::exp(static_cast<double>(logit(k) - top)));
    return rounded(static_cast<double>(power / sum)) + 0.0F * sum;  // NaN if the sum is
  };
  const float own = probability(label);
  block.loss[row] = -std::log(static_cast<double>(own));
  if (!block.gradient) return;
  const float slope = -1.0F / own;
  const float common = slope * own;  // no number where the slope is infinite
  for (std::size_t k = 0; k < block.classes; ++k)
    block.gradient[k * block.stride + row] =
        static_cast<double>(probability(k) * ((k == label ? slope : 0.0F) - common));
}

}  // namespace

Loss naive_cross_entropy() {
  return {[](const LossBlock& block) {
            for (std::size_t row = 0; row < block.rows; ++row) one_row(block, row);
          },
          std::nullopt};
}

}  // namespace uaspl
