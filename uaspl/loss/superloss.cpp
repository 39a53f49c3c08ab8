// SuperLoss over the cross-entropy, see superloss.hpp.
#include "uaspl/loss/superloss.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace uaspl {
namespace {

constexpr double kE = std::numbers::e;

// Returns the argument of Lambert's function for a row.
double argument(double loss, double tau, double lambda) {
  return std::max(-2.0 / kE, (loss - tau) / lambda) / 2.0;
}

double value(double loss, double tau, double lambda) {
  const double w = lambert_w(argument(loss, tau, lambda));
  return (loss - tau) * std::exp(-w) + lambda * w * w;
}

}  // namespace

// Halley's method, from the series around the branch point or from Winitzki's approximation.
double lambert_w(double x) {
  if (std::isnan(x)) return x;
  const double p = std::sqrt(2.0 * std::max(0.0, kE * x + 1.0));
  double w = -1.0 + p * (1.0 + p * (-1.0 / 3.0 + p * (11.0 / 72.0)));
  if (p < 1e-4) return w;  // the rest of the series is below 1e-17
  if (x > -0.25) {
    const double log = std::log1p(x);
    w = log * (1.0 - std::log1p(log) / (2.0 + log));
  }
  for (int i = 0; i < 20; ++i) {
    const double power = std::exp(w);
    const double miss = w * power - x;
    const double change = miss / (power * (w + 1.0) - (w + 2.0) * miss / (2.0 * w + 2.0));
    w -= change;
    if (!(std::abs(change) > 1e-15 * (1.0 + std::abs(w)))) break;
  }
  return w;
}

double super_weight(double loss, double tau, double lambda) {
  return std::exp(-lambert_w(argument(loss, tau, lambda)));
}

Loss superloss(double lambda, const Loss& inner) {
  const auto block_loss = [inner, lambda](const LossBlock& block) {
    inner.on(block);
    const double tau = std::log(static_cast<double>(block.classes));
    const double least = value(0.0, tau, lambda);
    for (std::size_t i = 0; i < block.rows; ++i) {
      const double loss = block.loss[i];
      block.loss[i] = value(loss, tau, lambda) - least;
      if (!block.gradient) continue;
      const double sigma = super_weight(loss, tau, lambda);
      for (std::size_t k = 0; k < block.classes; ++k) block.gradient[k * block.stride + i] *= sigma;
    }
  };
  return {block_loss, std::nullopt};
}

}  // namespace uaspl
