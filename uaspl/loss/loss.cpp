// The loss table, and the conversion between row-major storage and blocks of rows in double.
#include "uaspl/loss/loss.hpp"

#include <algorithm>
#include <utility>

#include "uaspl/base/aligned.hpp"
#include "uaspl/base/table.hpp"
#include "uaspl/loss/cross_entropy.hpp"
#include "uaspl/loss/edl.hpp"
#include "uaspl/loss/evidential.hpp"
#include "uaspl/loss/superloss.hpp"

namespace uaspl {
namespace {

constexpr std::size_t kRowsAtOnce = 128;

const LossInfo kLosses[] = {
    {"cross_entropy", "minus the log of the label's softmax probability", false,
     [](Evidence) { return cross_entropy(); }},
    {"emse", "expected squared error under the Dirichlet distribution", true,
     [](Evidence e) { return evidential_loss({.evidence = e, .kl_scale = 0.0}); }},
    {"kl", "divergence of the wrong evidence from none", true,
     [](Evidence e) {
       return evidential_loss({.evidence = e, .emse_scale = 0.0, .coefficient = Coefficient::kOne});
     }},
    {"correct_evidence", "pull on negative target logits, weighted by the uncertainty", true,
     [](Evidence e) {
       return evidential_loss(
           {.evidence = e, .emse_scale = 0.0, .kl_scale = 0.0, .correct_evidence = 1.0});
     }},
    {"uaspl", "emse + coeff * kl, coeff = u where correct, 1-u where wrong", true,
     [](Evidence e) { return evidential_loss({.evidence = e}); }},
    {"fixed_beta", "emse + beta * kl with a constant beta (here 1)", true,
     [](Evidence e) { return evidential_loss({.evidence = e, .coefficient = Coefficient::kOne}); }},
    {"uaspl_hybrid",
     "the uaspl loss of the image experiments: kl scaled by 0.1, correct evidence by 1", true,
     [](Evidence e) {
       return evidential_loss({.evidence = e, .kl_scale = 0.1, .correct_evidence = 1.0});
     }},
    {"edl_ce", "expected cross-entropy under the Dirichlet distribution + kl", true,
     [](Evidence e) { return edl_cross_entropy(e, 1.0); }},
    {"uaspl_ce",
     "expected cross-entropy + coeff * kl, coeff as in uaspl but constant, here scaled by 0.1",
     true,
     [](Evidence e) {
       return evidential_loss({.evidence = e,
                               .emse_scale = 0.0,
                               .ce_scale = 1.0,
                               .kl_scale = 0.1,
                               .coefficient = Coefficient::kAdaptiveConstant});
     }},
    {"r_edl", "squared error of the mean, alpha = e + 0.1, + kl", true,
     [](Evidence e) { return relaxed_edl(e, 0.1, 1.0); }},
    {"i_edl", "emse weighted by Fisher information, less 0.05 of its log determinant, + kl", true,
     [](Evidence e) { return information_edl(e, 0.05, 1.0); }},
    {"superloss", "cross-entropy, easy rows weighted up and hard ones down", false,
     [](Evidence) { return superloss(1.0); }},
};

}  // namespace

std::string_view evidence_name(Evidence evidence) {
  switch (evidence) {
    case Evidence::kRelu: return "relu";
    case Evidence::kSoftplus: return "softplus";
    case Evidence::kExp: return "exp";
  }
  return "";
}

std::span<const LossInfo> losses() { return kLosses; }
const LossInfo& find_loss(std::string_view name) { return find_named(losses(), "loss", name); }

void Loss::operator()(const Matrix& logits, std::span<const int> labels, std::span<float> loss,
                      Matrix* dlogits) const {
  evaluate(logits, labels, loss, dlogits);
}

void Loss::operator()(const DoubleMatrix& logits, std::span<const int> labels,
                      std::span<double> loss, DoubleMatrix* dlogits) const {
  evaluate(logits, labels, loss, dlogits);
}

template <typename T>
void Loss::evaluate(const BasicMatrix<T>& logits, std::span<const int> labels, std::span<T> loss,
                    BasicMatrix<T>* dlogits) const {
  const std::size_t n = logits.rows();
  const std::size_t classes = logits.cols();
  assert(labels.size() == n && loss.size() == n);
  if (dlogits) dlogits->resize(n, classes);
  const std::size_t stride = (std::min(n, kRowsAtOnce) + kLossPad - 1) / kLossPad * kLossPad;
  // The memory is kept, because allocating and freeing it would take as long as a small block. It
  // is taken out during a call, because a loss may be made of others.
  static thread_local AlignedVector<double> kept;
  AlignedVector<double> memory = std::move(kept);
  memory.resize(std::max(memory.size(), (4 * classes + 2) * stride));
  double* const o = memory.data();
  double* const gradient = o + classes * stride;
  double* const work = gradient + classes * stride;
  double* const label = work + 2 * classes * stride;
  double* const value = label + stride;

  for (std::size_t first = 0; first < n; first += kRowsAtOnce) {
    const std::size_t rows = std::min(kRowsAtOnce, n - first);
    for (std::size_t i = 0; i < rows; ++i) {
      label[i] = labels[first + i];
      for (std::size_t k = 0; k < classes; ++k) o[k * stride + i] = logits(first + i, k);
    }
    block_({rows, stride, classes, o, label, value, dlogits ? gradient : nullptr, work});
    for (std::size_t i = 0; i < rows; ++i) loss[first + i] = static_cast<T>(value[i]);
    if (!dlogits) continue;
    for (std::size_t i = 0; i < rows; ++i)
      for (std::size_t k = 0; k < classes; ++k)
        (*dlogits)(first + i, k) = static_cast<T>(gradient[k * stride + i]);
  }
  kept = std::move(memory);
}

}  // namespace uaspl
