// Losses: pure functions from logits and labels to per-row values and gradients on the logits, and
// the table of all of them.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "uaspl/base/matrix.hpp"

namespace uaspl {

// How logits o become evidence e >= 0; the Dirichlet parameters are alpha = e + prior, which is 1
// in all losses but one.
enum class Evidence { kRelu, kSoftplus, kExp };
constexpr Evidence kEvidences[] = {Evidence::kRelu, Evidence::kSoftplus, Evidence::kExp};
std::string_view evidence_name(Evidence evidence);

// A block of rows in double, class by class, so that a vector of rows is computed at once. Further
// rows up to the stride are padding and may be read and written.
struct LossBlock {
  std::size_t rows;
  std::size_t stride;  // between classes; a multiple of kLossPad
  std::size_t classes;
  const double* logits;  // row i, class k at logits[k * stride + i]
  const double* labels;  // whole numbers 0..classes-1
  double* loss;          // one for each row
  double* gradient;      // laid out as logits; null if only the loss is wanted
  double* work;          // room for 2 * classes * stride values
};
constexpr std::size_t kLossPad = 8;
using BlockLoss = std::function<void(const LossBlock&)>;

class Loss {
 public:
  Loss(BlockLoss block, std::optional<Evidence> evidence, double prior = 1.0)
      : block_(std::move(block)), evidence_(evidence), prior_(prior) {}

  // How the logits of an evidential loss are read; nothing for softmax losses.
  std::optional<Evidence> evidence() const { return evidence_; }
  double prior() const { return prior_; }  // of an evidential loss: alpha = e + prior

  // Computes loss[i] of row i; dlogits, if given, becomes d loss[i] / d logits(i, k). All
  // arithmetic is in double; T is the storage. Safe to call concurrently.
  void operator()(const Matrix& logits, std::span<const int> labels, std::span<float> loss,
                  Matrix* dlogits) const;
  void operator()(const DoubleMatrix& logits, std::span<const int> labels, std::span<double> loss,
                  DoubleMatrix* dlogits) const;
  // Computes one block, for losses that are made of others.
  void on(const LossBlock& block) const { block_(block); }

 private:
  template <typename T>
  void evaluate(const BasicMatrix<T>& logits, std::span<const int> labels, std::span<T> loss,
                BasicMatrix<T>* dlogits) const;

  BlockLoss block_;
  std::optional<Evidence> evidence_;
  double prior_;
};

struct LossInfo {
  std::string_view name;
  std::string_view summary;
  bool evidential;
  Loss (*make)(Evidence evidence);  // losses on the softmax ignore the evidence
};

// Returns every loss. A test checks the gradient of each entry against central differences.
std::span<const LossInfo> losses();
const LossInfo& find_loss(std::string_view name);

}  // namespace uaspl
