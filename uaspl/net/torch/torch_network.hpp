// A network for images, computed by libtorch.
#pragma once

#include <ATen/ATen.h>

#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "uaspl/base/scratch_pool.hpp"
#include "uaspl/data/image/loader.hpp"
#include "uaspl/net/image_network.hpp"
#include "uaspl/net/torch/architecture.hpp"

namespace uaspl {

class TorchNetwork final : public Network {
 public:
  explicit TorchNetwork(const ImageNetworkOptions& options);

  std::unique_ptr<Network> clone() const override;
  std::size_t classes() const override { return options_.classes; }
  Matrix logits(const Batch& batch) const override;
  void update(const Batch& batch, const Step& step, const LogitGradient& gradient) override;
  void expect(const Batch& batch) override;
  Abilities abilities() const override { return {true, true, true, true}; }
  Matrix sampled_logits(const Batch& batch, float dropout, std::uint64_t seed) const override;
  Matrix features(const Batch& batch) const override;
  std::vector<float> weight_influence(const Trial& trial) const override;
  void answer_always(std::span<const float> logits) override;
  State save() const override;
  void load(const State& state) override;
  State save_momentum() const override;
  void load_momentum(const State& state) override;

 private:
  // Features of the last rows that were asked for, kept because dropout only comes after them.
  struct Kept {
    Images images;
    std::vector<int> rows;  // of this rank
    View view;
    at::Tensor features;
  };
  using FeatureBlock = std::function<void(std::size_t first, const at::Tensor& features)>;

  void evaluate(const Batch& mine, const FeatureBlock& take) const;
  at::Tensor kept_features(const Batch& mine) const;
  std::vector<at::Tensor> parameters() const;
  void copy_weights_of(const TorchNetwork& other);
  void weights_changed();
  void check(const Images& images) const;
  void add_influence(const Trial& trial, const TorchNetwork& start, Matrix& influence) const;
  ImageLoader& training_loader(const Images& images);
  // Computes logits with gradients; there may be no images.
  at::Tensor own_logits(const at::Tensor& images, Pass pass, const at::Tensor& mask = {}) const;

  // For several processes that share the work (sharing.cpp), these functions give the rows of a
  // batch that belong to this process; the results of all rows from those of its own; and the
  // gradients of all rows from those of its own, with the running statistics if they have changed.
  // A process alone gets back what it passes in.
  Part part(const Batch& batch) const;
  Batch mine(const Batch& batch) const;
  void share(Matrix& rows, const Batch& batch, std::uint64_t what) const;
  Matrix all_rows(const at::Tensor& own, const Batch& batch, std::uint64_t what) const;
  std::vector<at::Tensor> gradients(const at::Tensor& logits, const Matrix& dlogits,
                                    const Batch& batch, Pass pass) const;
  void add_up(std::vector<at::Tensor>& sums, const Batch& batch, Pass pass) const;

  ImageNetworkOptions options_;
  at::Device device_;
  std::unique_ptr<Architecture> net_;
  std::vector<at::Tensor> momentum_;     // empty before the first step
  std::unique_ptr<ImageLoader> loader_;  // of update(): the images of the last step
  // Derived from the present weights when it is first needed.
  mutable std::mutex mutex_;
  mutable bool folded_ = false;
  mutable std::shared_ptr<const Kept> kept_;
  mutable ScratchPool<TorchNetwork> trials_;  // of weight_influence: weights that may be moved
};

}  // namespace uaspl
