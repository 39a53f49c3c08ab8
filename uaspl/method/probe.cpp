// The read-only access of methods to a run, see probe.hpp.
#include "uaspl/method/probe.hpp"

#include <utility>

#include "uaspl/base/error.hpp"
#include "uaspl/base/pick.hpp"

namespace uaspl {

std::shared_ptr<const DoubleMatrix> Memo::get(const std::string& key, std::size_t columns,
                                              const std::function<DoubleMatrix()>& compute) {
  const std::lock_guard lock(mutex_);
  auto& kept = kept_[key];
  if (!kept) kept = std::make_shared<const DoubleMatrix>(compute());
  SavedState::expect_shape(key, *kept, kept->rows(), columns);
  return kept;
}

void Memo::save(SavedState& numbers) const {
  const std::lock_guard lock(mutex_);
  for (const auto& [key, kept] : kept_)
    if (kept) numbers.put(key, *kept);
}

void Memo::load(const SavedState& numbers, std::size_t rows) {
  const std::lock_guard lock(mutex_);
  for (const auto& [key, values] : numbers.all()) {
    if (values.rows() != rows) throw Error("saved state: '" + key + "' is about other rows");
    kept_[key] = std::make_shared<const DoubleMatrix>(values);
  }
}

const Matrix& Probe::logits() const {
  if (!logits_) logits_ = network_.logits({*set_.inputs, set_.rows, view_});
  return *logits_;
}

Matrix Probe::logits_at(std::span<const int> positions) const {
  return network_.logits({*set_.inputs, pick(set_.rows, positions), view_});
}

std::vector<float> Probe::losses(const Loss& loss) const {
  std::vector<float> values(rows());
  loss(logits(), labels(), values, nullptr);
  return values;
}

std::vector<int> Probe::labels_at(std::span<const int> positions) const {
  return pick(set_.labels, positions);
}

std::vector<float> Probe::weights_at(std::span<const int> positions) const {
  std::vector<float> weights(positions.size(), 1.0F);
  if (set_.weights.empty()) return weights;
  for (std::size_t i = 0; i < weights.size(); ++i)
    weights[i] = set_.weights[static_cast<std::size_t>(positions[i])];
  return weights;
}

Matrix Probe::sampled_logits(float dropout, std::uint64_t seed) const {
  return network_.sampled_logits({*set_.inputs, set_.rows, view_}, dropout, seed);
}

Matrix Probe::features() const { return network_.features({*set_.inputs, set_.rows}); }

std::vector<float> Probe::weight_influence(const Visit& visit, const LogitGradient& step_gradient,
                                           const Loss& loss) const {
  const auto row_gradient = [&loss](std::span<const int> of,
                                    std::span<const float> scales) -> LogitGradient {
    return [&loss, of, scales](std::size_t first, const Matrix& logits, Matrix& dlogits) {
      std::vector<float> values(logits.rows());
      loss(logits, of.subspan(first, logits.rows()), values, &dlogits);
      for (std::size_t i = 0; i < scales.size() && i < logits.rows(); ++i)
        for (float& g : dlogits.row(i)) g *= scales[first + i];
    };
  };
  const std::vector<int> rows = pick(set_.rows, visit.positions);
  const std::vector<int> labels = labels_at(visit.positions);
  const std::vector<int> meta_part = pick(set_.meta_rows, visit.meta);
  const std::vector<int> meta_part_labels = pick(set_.meta_labels, visit.meta);
  const std::span<const int> meta = visit.meta.empty() ? set_.meta_rows : meta_part;
  const std::span<const int> meta_labels = visit.meta.empty() ? set_.meta_labels : meta_part_labels;
  std::vector<float> meta_scales(meta.size(), 1.0F / static_cast<float>(meta.size()));
  for (std::size_t i = 0; i < meta.size() && !set_.meta_weights.empty(); ++i)
    meta_scales[i] *=
        set_.meta_weights[visit.meta.empty() ? i : static_cast<std::size_t>(visit.meta[i])];
  return network_.weight_influence({.train = {*set_.inputs, rows, visit.view},
                                    .train_step = step_gradient,
                                    .train_row = row_gradient(labels, {}),
                                    .meta = {*set_.inputs, meta, visit.view},
                                    .meta_mean = row_gradient(meta_labels, meta_scales),
                                    .rate = visit.step.rate});
}

std::shared_ptr<const DoubleMatrix> Probe::once(
    const std::string& key, std::size_t columns,
    const std::function<DoubleMatrix()>& compute) const {
  if (set_.memo) return set_.memo->get(key, columns, compute);
  return std::make_shared<const DoubleMatrix>(compute());
}

}  // namespace uaspl
