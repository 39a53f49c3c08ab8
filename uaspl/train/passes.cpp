// Passes over the rows of one stage, see passes.hpp.
#include "uaspl/train/passes.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <utility>

#include "uaspl/base/pick.hpp"
#include "uaspl/base/rng.hpp"

namespace uaspl {
namespace {

// Stage -1 is the pre-training.
std::uint64_t stage_key(int stage) { return static_cast<std::uint64_t>(stage + 1); }

}  // namespace

Probe Fit::probe_before(int stage) const {
  const View view{training.augmented,
                  Stream(training.seed, "scoring view", stage_key(stage)).word()};
  return {network, set, training.seed, training.augmented ? view : View{}};
}

Passes::Passes(const Fit& fit, const StageRows& chosen, const Loss& loss, const Stage& stage,
               int earlier)
    : fit_(fit),
      chosen_(chosen),
      loss_(loss),
      stage_(stage),
      earlier_(earlier),
      size_(fit.training.batch == 0 ? chosen.rows.size()
                                    : std::min(fit.training.batch, chosen.rows.size())),
      order_(chosen.rows.size()) {
  std::iota(order_.begin(), order_.end(), 0);
  if (size_ == order_.size()) fill(now_, 0);
}

// A single image that would be left over joins the step before it, because the normalisation layers
// of deep networks compare the images of a step with each other.
std::size_t Passes::end_of_step(std::size_t first) const {
  const std::size_t left = order_.size() - first;
  const bool one_alone = fit_.training.augmented && size_ > 1 && left == size_ + 1;
  return first + (one_alone ? left : std::min(size_, left));
}

std::optional<double> Passes::run(int pass) {
  const auto stopped = [&] { return fit_.observer && fit_.observer->stop(); };
  const std::size_t n = order_.size();
  pass_loss_ = fit_.method.loss_of_pass(stage_, pass);
  if (size_ == n) {
    if (stopped()) return std::nullopt;
    now_.weights = chosen_.weights;  // the method may have changed them
    return update(now_, pass, 0) / static_cast<double>(n);
  }
  std::iota(order_.begin(), order_.end(), 0);
  Stream(fit_.training.seed, "shuffle", stage_key(stage_.index), static_cast<std::uint64_t>(pass))
      .shuffle(order_);
  fill(next_, 0);
  double sum = 0.0;
  for (std::size_t first = 0; first < n;) {
    if (stopped()) return std::nullopt;
    const std::size_t end = end_of_step(first);
    std::swap(now_, next_);
    if (end < n) {
      fill(next_, end);
      fit_.network.expect({*fit_.set.inputs, next_.rows, view(pass)});
    }
    sum += update(now_, pass, first);
    first = end;
  }
  return sum / static_cast<double>(n);
}

void Passes::fill(Rows& step, std::size_t first) const {
  const auto places = std::span(order_).subspan(first, end_of_step(first) - first);
  step.positions = pick(chosen_.rows, places);
  step.rows = pick(fit_.set.rows, step.positions);
  step.labels = pick(fit_.set.labels, step.positions);
  step.weights.clear();
  for (const int place : places)
    step.weights.push_back(chosen_.weights[static_cast<std::size_t>(place)]);
  step.counts.clear();
  if (fit_.set.weights.empty()) return;
  for (const int position : step.positions)
    step.counts.push_back(fit_.set.weights[static_cast<std::size_t>(position)]);
}

// The stages of methods that pace themselves have no fixed length, so that passes are counted.
double Passes::rate_share(int pass) const {
  const Training& training = fit_.training;
  const int stage = fit_.method.paces_itself() ? (earlier_ + pass) / training.passes : stage_.index;
  double share = 1.0;
  for (const int left : training.rate_falls)
    if (left <= training.stages && stage >= training.stages - left) share /= 10.0;
  return share;
}

// Returns the share of the rate that half a cosine leaves at a place in all passes.
double Passes::cosine_share(int pass, std::size_t first) const {
  const Training& training = fit_.training;
  const int before = stage_.index < 0 ? 0 : training.earlier_passes + earlier_;
  const double done =
      before + pass + static_cast<double>(first) / static_cast<double>(order_.size());
  const double all = training.earlier_passes + passes_of_stages(training);
  return 0.5 * (1.0 + std::cos(std::numbers::pi * std::min(1.0, done / all)));
}

Step Passes::step(int pass, std::size_t first) const {
  const Training& training = fit_.training;
  Step step = training.step;
  if (training.cosine) step.rate = static_cast<float>(step.rate * cosine_share(pass, first));
  if (stage_.index >= 0 && !training.rate_falls.empty())
    step.rate = static_cast<float>(step.rate * rate_share(pass));
  step.dropout = std::max(step.dropout, chosen_.dropout);
  if (step.dropout > 0.0F)
    step.seed =
        Stream(training.seed, "masks", stage_key(stage_.index), static_cast<std::uint64_t>(pass))
            .word() +
        first;
  return step;
}

View Passes::view(int pass) const {
  if (!fit_.training.augmented) return {};
  return {true, Stream(fit_.training.seed, "view", stage_key(stage_.index),
                       static_cast<std::uint64_t>(pass))
                    .word()};
}

// Returns the next meta rows, and starts again at the first one after the last.
std::span<const int> Passes::meta(int pass, std::size_t first) {
  const std::size_t all = fit_.set.meta_rows.size();
  const std::size_t size = std::min(fit_.training.meta_batch, all);
  if (size == 0 || size == all) return {};
  const std::size_t steps = (order_.size() + size_ - 1) / size_;
  const std::size_t begin = (static_cast<std::size_t>(pass) * steps + first / size_) * size;
  meta_.resize(size);
  for (std::size_t i = 0; i < size; ++i) meta_[i] = static_cast<int>((begin + i) % all);
  return meta_;
}

// Makes one update; returns the sum of weight * loss before it. The mean divides by the number of
// rows, not by the sum of their weights: this is the only place that decides it.
double Passes::update(Rows& rows, int pass, std::size_t first_place) {
  const std::size_t n = rows.positions.size();
  const Step taken = step(pass, first_place);
  const Visit visit{rows.positions, taken, view(pass), meta(pass, first_place)};
  const Probe probe(fit_.network, fit_.set, fit_.training.seed, visit.view);
  fit_.method.weigh(visit, probe, rows.weights);
  for (std::size_t i = 0; i < rows.counts.size(); ++i) rows.weights[i] *= rows.counts[i];
  if (fit_.observer) fit_.observer->on_step(visit, rows.weights);
  const Loss& loss = pass_loss_ ? *pass_loss_ : loss_;
  losses_.resize(n);
  logits_.resize(n, fit_.set.classes);
  const auto count = static_cast<float>(n);
  fit_.network.update({*fit_.set.inputs, rows.rows, visit.view}, taken,
                      [&](std::size_t first, const Matrix& logits, Matrix& dlogits) {
                        const std::size_t block = logits.rows();
                        loss(logits, std::span(rows.labels).subspan(first, block),
                             std::span(losses_).subspan(first, block), &dlogits);
                        for (std::size_t i = 0; i < block; ++i)
                          for (float& g : dlogits.row(i)) g *= rows.weights[first + i] / count;
                        std::ranges::copy(logits.values(), logits_.row(first).data());
                      });
  const Probe after(fit_.network, fit_.set, fit_.training.seed, visit.view);
  fit_.method.after_step(visit, after, logits_);
  double sum = 0.0;
  for (std::size_t i = 0; i < n; ++i)
    sum += static_cast<double>(rows.weights[i]) * static_cast<double>(losses_[i]);
  return sum;
}

}  // namespace uaspl
