// Computes the influence of rows' weights on the loss of other rows, see network.hpp. It takes no
// second derivatives, but two more passes along the judging gradient.
#include <c10/core/GradMode.h>

#include <cmath>
#include <utility>

#include "uaspl/net/torch/batch_tensor.hpp"
#include "uaspl/net/torch/errors.hpp"
#include "uaspl/net/torch/torch_network.hpp"

namespace uaspl {
namespace {

// Codes of what a rank is about to do, which the other ranks compare with their own.
constexpr std::uint64_t kTrialStep = 11;
constexpr std::uint64_t kJudge = 12;
constexpr std::uint64_t kInfluence = 13;

// Moves weights away from a starting point, by some multiple of a direction.
class Excursion {
 public:
  Excursion(std::vector<at::Tensor> weights, std::vector<at::Tensor> start)
      : weights_(std::move(weights)), start_(std::move(start)) {}

  void move_to(const std::vector<at::Tensor>& direction, double step) {
    const at::NoGradGuard none;
    for (std::size_t i = 0; i < weights_.size(); ++i) {
      weights_[i].copy_(start_[i]);
      weights_[i].add_(direction[i], step);
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
  Matrix influence(trial.train.rows.size(), 1);
  if (trial.train.rows.empty() || trial.meta.rows.empty())
    return std::vector<float>(trial.train.rows.size());
  guarded([&] {
    const auto scratch = trials_.borrow([&] { return std::make_unique<TorchNetwork>(options_); });
    scratch->copy_weights_of(*this);
    scratch->add_influence(trial, *this, influence);
    share(influence, trial.train, kInfluence);
  });
  return {influence.values().begin(), influence.values().end()};
}

// Adds the influence of this rank's rows. Moves this network's weights, which begin as those of
// `start`.
void TorchNetwork::add_influence(const Trial& trial, const TorchNetwork& start,
                                 Matrix& influence) const {
  const at::AutoGradMode on(true);
  const auto slopes = [&](const Matrix& logits, const LogitGradient& gradient) {
    Matrix dlogits(logits.rows(), logits.cols());
    gradient(0, logits, dlogits);
    return dlogits;
  };
  const auto own_batch = [&](const Batch& batch) {
    check(batch.inputs.images());
    return mine(batch);
  };
  ImageLoader train_loader(trial.train.inputs.images());
  const Batch train_rows = own_batch(trial.train);
  const BatchTensor train(train_loader, train_rows.rows, train_rows.view, device_);
  const at::Tensor before = own_logits(train.tensor, Pass::kTrial);
  const Matrix logits = all_rows(before, trial.train, kTrialStep);
  const std::vector<at::Tensor> step =
      gradients(before, slopes(logits, trial.train_step), trial.train, Pass::kTrial);
  const Matrix own = slopes(logits, trial.train_row);

  Excursion excursion(parameters(), start.parameters());
  excursion.move_to(step, -static_cast<double>(trial.rate));
  std::vector<at::Tensor> judging;
  {
    ImageLoader meta_loader(trial.meta.inputs.images());
    const Batch meta_rows = own_batch(trial.meta);
    const BatchTensor meta(meta_loader, meta_rows.rows, meta_rows.view, device_);
    const at::Tensor after = own_logits(meta.tensor, Pass::kTrial);
    judging = gradients(after, slopes(all_rows(after, trial.meta, kJudge), trial.meta_mean),
                        trial.meta, Pass::kTrial);
  }
  const double size = length(judging);
  if (size == 0.0) return;
  const at::NoGradGuard none;
  const double reach =
      1e-2 / size;  // of a central difference in float: between curvature and rounding
  excursion.move_to(judging, reach);
  const Matrix ahead = to_matrix(own_logits(train.tensor, Pass::kTrial));
  excursion.move_to(judging, -reach);
  const Matrix behind = to_matrix(own_logits(train.tensor, Pass::kTrial));
  const std::size_t first = part(trial.train).first;
  for (std::size_t i = 0; i < ahead.rows(); ++i) {
    double slope = 0.0;
    for (std::size_t k = 0; k < options_.classes; ++k)
      slope += static_cast<double>(own(first + i, k)) *
               (static_cast<double>(ahead(i, k)) - static_cast<double>(behind(i, k)));
    influence(first + i, 0) =
        static_cast<float>(-static_cast<double>(trial.rate) * slope / (2.0 * reach));
  }
}

}  // namespace uaspl
