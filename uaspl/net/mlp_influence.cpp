// How the weights of rows in a trial step act on other rows, without second derivatives and without
// a gradient for every row.
#include <algorithm>

#include "uaspl/net/mlp.hpp"
#include "uaspl/net/mlp_workspace.hpp"

namespace uaspl {

using kernels::Into;
using kernels::padded_width;
using kernels::Product;

// <G, g_i> is the derivative of row i's loss along G: one forward pass that carries the change of
// every activation along, instead of a gradient for every row.
std::vector<float> Mlp::weight_influence(const Trial& trial) const {
  std::vector<float> influence(trial.train.rows.size());
  if (influence.empty() || trial.meta.rows.empty()) return influence;
  std::unique_ptr<Mlp>& after = scratch_.trial;
  if (!after) after = std::make_unique<Mlp>(*this);
  after->inputs_ = inputs_;
  after->weights_ = weights_;
  after->momentum_.resize(weights_.size());
  kernels::sgd_step(after->weights_, after->momentum_,
                    gradient(trial.train, {}, trial.train_step).data(),
                    {trial.rate, 0.0F, 0.0F, true});
  after->refresh_transposed();
  const std::span<const float> direction = after->gradient(trial.meta, {}, trial.meta_mean);
  for_chunks(influence.size(),
             [&](std::size_t, std::size_t first, std::size_t last, Workspace& space) {
               slopes_along(trial.train, trial.train_row, direction, first, last, space, influence);
             });
  for (float& value : influence) value *= -trial.rate;
  return influence;
}

// slopes[i] = derivative of row i's loss when the weights move along the direction.
void Mlp::slopes_along(const Batch& batch, const LogitGradient& gradient,
                       std::span<const float> direction, std::size_t first, std::size_t last,
                       Workspace& space, std::span<float> slopes) const {
  space.dropout = 0.0F;
  for (std::size_t begin = first; begin < last; begin += Workspace::kBlock) {
    const std::size_t rows = std::min(Workspace::kBlock, last - begin);
    forward(batch, begin, rows, space);
    space.dlogits.resize(rows, shape_.classes);
    gradient(begin, space.logits, space.dlogits);
    tangent(rows, direction.data(), space);
    for (std::size_t i = 0; i < rows; ++i) {
      double sum = 0.0;
      for (std::size_t k = 0; k < shape_.classes; ++k)
        sum += static_cast<double>(space.dlogits(i, k)) *
               static_cast<double>(space.logit_tangents(i, k));
      slopes[begin + i] = static_cast<float>(sum);
    }
  }
}

// The change of all activations and logits of a block, just passed forward, along a direction.
void Mlp::tangent(std::size_t rows, const float* direction, Workspace& space) const {
  space.add_tangents();
  for (std::size_t l = 0; l + 1 < layers_.size(); ++l) {
    const Layer& layer = layers_[l];
    Workspace::Level& from = space.levels[l];
    Workspace::Level& to = space.levels[l + 1];
    Product product{.rows = rows,
                    .cols = padded_width(layer.out),
                    .depth = layer.in + 1,
                    .a = {from.values.data(), from.stride, 1},
                    .b = direction + layer.offset,
                    .b_stride = layer.stride,
                    .c = to.tangents.data(),
                    .c_stride = to.stride,
                    .into = Into::kStore};
    multiply(product);
    if (l > 0) {
      product.depth = layer.in;
      product.a.data = from.tangents.data();
      product.b = weights_.data() + layer.offset;
      product.into = Into::kAdd;
      multiply(product);
    }
    for (std::size_t i = 0; i < rows * to.stride; ++i) to.tangents[i] *= to.slopes[i];
  }
  Workspace::Level& last = space.levels.back();
  kernels::head_forward(last.rows_with_one(rows), head(direction),
                        space.logit_tangents.values().data());
  kernels::head_forward({last.tangents.data(), rows, padded_width(last.width + 1), last.stride},
                        head(weights_.data()), space.carried_tangents.values().data());
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t k = 0; k < shape_.classes; ++k)
      space.logit_tangents(i, k) += space.carried_tangents(i, k);
}

}  // namespace uaspl
