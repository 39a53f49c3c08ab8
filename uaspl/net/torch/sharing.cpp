// Shares the work of one network between several processes: rows are cut into parts, results are
// gathered, gradients are added up. See uaspl/net/process_group.hpp.
#include <c10/core/GradMode.h>

#include <algorithm>
#include <utility>

#include "uaspl/base/rng.hpp"
#include "uaspl/net/torch/batch_tensor.hpp"
#include "uaspl/net/torch/torch_network.hpp"

namespace uaspl {
namespace {

// Joins tensors into one piece on the CPU, each row by row.
at::Tensor flat(const std::vector<at::Tensor>& tensors) {
  std::vector<at::Tensor> pieces;
  for (const at::Tensor& one : tensors) pieces.push_back(one.detach().to(at::kCPU).reshape(-1));
  return at::cat(pieces);
}

std::uint64_t digest(const Batch& batch, std::uint64_t what) {
  std::uint64_t sum = mix_bits(what + 1);
  for (const int row : batch.rows) sum = mix_bits(sum ^ static_cast<std::uint64_t>(row)) + what;
  return batch.view.augmented ? mix_bits(sum ^ batch.view.seed) : sum;
}

}  // namespace

Part TorchNetwork::part(const Batch& batch) const {
  const ProcessGroup* group = options_.group.get();
  return group ? part_of(batch.rows.size(), group->rank(), group->size())
               : Part{0, batch.rows.size()};
}

Batch TorchNetwork::mine(const Batch& batch) const {
  const Part own = part(batch);
  return {batch.inputs, batch.rows.subspan(own.first, own.count), batch.view};
}

void TorchNetwork::share(Matrix& rows, const Batch& batch, std::uint64_t what) const {
  if (options_.group) share_rows(*options_.group, rows, digest(batch, what));
}

Matrix TorchNetwork::all_rows(const at::Tensor& own, const Batch& batch, std::uint64_t what) const {
  Matrix block = to_matrix(own);
  if (!options_.group) return block;
  Matrix all(batch.rows.size(), block.cols());
  if (block.rows() > 0) std::ranges::copy(block.values(), all.row(part(batch).first).data());
  share(all, batch, what);
  return all;
}

std::vector<at::Tensor> TorchNetwork::gradients(const at::Tensor& logits, const Matrix& dlogits,
                                                const Batch& batch, Pass pass) const {
  const std::vector<at::Tensor> weights = parameters();
  std::vector<at::Tensor> all;
  if (logits.size(0) > 0) {
    for (const at::Tensor& one : weights) one.mutable_grad().reset();  // in case a pass failed
    const float* own = dlogits.row(part(batch).first).data();
    logits.backward(view_of(own, logits.sizes()).to(device_));
    for (const at::Tensor& one : weights)
      all.push_back(std::exchange(one.mutable_grad(), at::Tensor()));
  } else {
    for (const at::Tensor& one : weights) all.push_back(at::zeros_like(one));
  }
  if (options_.group) add_up(all, batch, pass);
  return all;
}

// The gradients were divided by the rows of the whole batch already. Each rank's running statistics
// have moved by its own rows from the same start, so their mean, weighted by the rows, has moved by
// all rows.
void TorchNetwork::add_up(std::vector<at::Tensor>& sums, const Batch& batch, Pass pass) const {
  const at::NoGradGuard none;
  const double share =
      static_cast<double>(part(batch).count) / static_cast<double>(batch.rows.size());
  std::vector<at::Tensor> sent = sums;
  if (pass == Pass::kTrain)
    for (const NamedTensor& one : net_->tensors.buffers) sent.push_back(one.value * share);
  const at::Tensor buffer = flat(sent);
  options_.group->sum({buffer.data_ptr<float>(), static_cast<std::size_t>(buffer.numel())});
  std::int64_t place = 0;
  const auto next = [&](const at::Tensor& like) {
    const at::Tensor piece = buffer.slice(0, place, place + like.numel()).view(like.sizes());
    place += like.numel();
    return piece.to(device_);
  };
  for (at::Tensor& one : sums) one = next(one);
  if (pass == Pass::kTrain)
    for (const NamedTensor& one : net_->tensors.buffers) one.value.copy_(next(one.value));
}

}  // namespace uaspl
