// What a method may see of a run, see probe.hpp.
#include "uaspl/method/probe.hpp"

#include <utility>

namespace uaspl {

std::shared_ptr<const DoubleMatrix> Memo::get(const std::string& key,
                                              const std::function<DoubleMatrix()>& compute) {
  const std::lock_guard lock(mutex_);
  auto& kept = kept_[key];
  if (!kept) kept = std::make_shared<const DoubleMatrix>(compute());
  return kept;
}

const Matrix& Probe::logits() const {
  if (!logits_) logits_ = network_.logits({set_.rows});
  return *logits_;
}

std::vector<float> Probe::losses(const Loss& loss) const {
  std::vector<float> values(rows());
  loss(logits(), labels(), values, nullptr);
  return values;
}

std::vector<int> Probe::labels_at(std::span<const int> positions) const {
  std::vector<int> found;
  found.reserve(positions.size());
  for (const int position : positions)
    found.push_back(set_.labels[static_cast<std::size_t>(position)]);
  return found;
}

Matrix Probe::sampled_logits(float dropout, std::uint64_t seed) const {
  return network_.sampled_logits({set_.rows}, dropout, seed);
}

Matrix Probe::features() const { return network_.features({set_.rows}); }

std::vector<float> Probe::weight_influence(std::span<const int> positions,
                                           const LogitGradient& step_gradient, const Loss& loss,
                                           float rate) const {
  const std::vector<int> labels = labels_at(positions);
  std::vector<int> rows;
  rows.reserve(positions.size());
  for (const int position : positions)
    rows.push_back(set_.rows[static_cast<std::size_t>(position)]);
  const auto row_gradient = [&loss](std::span<const int> of, float scale) -> LogitGradient {
    return [&loss, of, scale](std::size_t first, const Matrix& logits, Matrix& dlogits) {
      std::vector<float> values(logits.rows());
      loss(logits, of.subspan(first, logits.rows()), values, &dlogits);
      for (float& g : dlogits.values()) g *= scale;
    };
  };
  const auto meta_count = static_cast<float>(set_.meta_rows.size());
  return network_.weight_influence({.train = {rows},
                                    .train_step = step_gradient,
                                    .train_row = row_gradient(labels, 1.0F),
                                    .meta = {set_.meta_rows},
                                    .meta_mean = row_gradient(set_.meta_labels, 1.0F / meta_count),
                                    .rate = rate});
}

std::shared_ptr<const DoubleMatrix> Probe::once(
    const std::string& key, const std::function<DoubleMatrix()>& compute) const {
  if (set_.memo) return set_.memo->get(key, compute);
  return std::make_shared<const DoubleMatrix>(compute());
}

}  // namespace uaspl
