// The influence of rows' weights on the loss of other rows, see network.hpp: no second derivatives,
// but two more passes along the gradient that judges.
#include <c10/core/GradMode.h>

#include <cmath>
#include <utility>

#include "uaspl/net/torch/errors.hpp"
#include "uaspl/net/torch/seen.hpp"
#include "uaspl/net/torch/torch_network.hpp"

namespace uaspl {
namespace {

// The weights may be moved; at the end they are what they were, bit by bit.
class Excursion {
 public:
  explicit Excursion(std::vector<at::Tensor> weights) : weights_(std::move(weights)) {
    for (const at::Tensor& one : weights_) start_.push_back(one.detach().clone());
  }
  ~Excursion() { move_to({}, 0.0); }
  Excursion(const Excursion&) = delete;
  Excursion& operator=(const Excursion&) = delete;

  // Start + step * direction.
  void move_to(const std::vector<at::Tensor>& direction, double step) {
    const at::NoGradGuard none;
    for (std::size_t i = 0; i < weights_.size(); ++i) {
      weights_[i].copy_(start_[i]);
      if (!direction.empty()) weights_[i].add_(direction[i], step);
    }
  }

 private:
  std::vector<at::Tensor> weights_;
  std::vector<at::Tensor> start_;
};

double length(const std::vector<at::Tensor>& vector) {
  double squares = 0.0;
  for (const at::Tensor& part : vector)
    squares += part.to(at::kDouble).square().sum().item<double>();
  return std::sqrt(squares);
}

}  // namespace

std::vector<float> TorchNetwork::weight_influence(const Trial& trial) const {
  std::vector<float> influence(trial.train.rows.size());
  if (influence.empty() || trial.meta.rows.empty()) return influence;
  guarded([&] {
    const at::AutoGradMode on(true);
    const Seen train(loader_, trial.train, device_);
    const auto pass = [&](const Seen& seen) {
      return net_->logits(net_->features(seen.tensor, Pass::kTrial));
    };
    const auto slopes = [&](const at::Tensor& logits, const LogitGradient& gradient) {
      Matrix dlogits(static_cast<std::size_t>(logits.size(0)), options_.classes);
      gradient(0, to_matrix(logits), dlogits);
      return dlogits;
    };
    const at::Tensor before = pass(train);
    const std::vector<at::Tensor> step = gradients(before, slopes(before, trial.train_step));
    const Matrix own = slopes(before, trial.train_row);

    Excursion excursion(parameters());
    excursion.move_to(step, -static_cast<double>(trial.rate));
    std::vector<at::Tensor> judging;
    {
      const Seen meta(loader_, trial.meta, device_);
      const at::Tensor after = pass(meta);
      judging = gradients(after, slopes(after, trial.meta_mean));
    }
    const double size = length(judging);
    if (size == 0.0) return;
    const at::NoGradGuard none;
    const double reach =
        1e-2 / size;  // of a central difference in float: between curvature and rounding
    excursion.move_to(judging, reach);
    const Matrix ahead = to_matrix(pass(train));
    excursion.move_to(judging, -reach);
    const Matrix behind = to_matrix(pass(train));
    for (std::size_t i = 0; i < influence.size(); ++i) {
      double slope = 0.0;
      for (std::size_t k = 0; k < options_.classes; ++k)
        slope += static_cast<double>(own(i, k)) *
                 (static_cast<double>(ahead(i, k)) - static_cast<double>(behind(i, k)));
      influence[i] = static_cast<float>(-static_cast<double>(trial.rate) * slope / (2.0 * reach));
    }
  });
  return influence;
}

}  // namespace uaspl
