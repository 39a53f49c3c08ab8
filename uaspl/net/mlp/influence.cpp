// Computes how the weights of rows in a trial step act on other rows, without second derivatives
// and without a gradient for every row.
#include <algorithm>

#include "uaspl/net/mlp/mlp.hpp"
#include "uaspl/net/mlp/workspace.hpp"

namespace uaspl {

using kernels::Into;
using kernels::padded_width;
using kernels::Product;

// <G, g_i> is the derivative of row i's loss along G: one forward pass that carries the change of
// every activation along, instead of a gradient for every row.
std::vector<float> Mlp::weight_influence(const Trial& trial) const {
  std::vector<float> influence(trial.train.rows.size());
  if (influence.empty() || trial.meta.rows.empty()) return influence;
  const auto scratch = trials_.borrow([&] { return std::make_unique<TrialScratch>(*this); });
  Mlp& after = scratch->after;
  after.parameters_.weights = parameters_.weights;
  after.parameters_.momentum.resize(layout_.size());
  const auto add_gradient = [&](const Mlp& network, const Batch& batch,
                                const LogitGradient& logit_gradient, const Finish& finish) {
    Team team(workers_.get(), batch.rows.size());
    scratch->buffers.resize(std::max(scratch->buffers.size(), team.tasks()));
    network.gradient(team, {Pass{inputs_of(batch), batch.rows}, logit_gradient, finish,
                            Cut(batch.rows.size()), scratch->buffers});
  };
  add_gradient(*this, trial.train, trial.train_step,
               [&](std::size_t task, const MlpPanel& panel, const float* sum) {
                 const Descent plain{std::nullopt, {trial.rate, 0.0F, 0.0F, true}};
                 if (task == 0) after.descend(panel, sum, plain, after.parameters_);
               });
  AlignedVector<float>& direction = after.parameters_.momentum;  // not needed any more
  add_gradient(after, trial.meta, trial.meta_mean,
               [&](std::size_t task, const MlpPanel& panel, const float* sum) {
                 if (task == 0) std::copy_n(sum, panel.size, &direction[panel.offset]);
               });
  const Pass train{inputs_of(trial.train), trial.train.rows};
  Team team(workers_.get(), influence.size());
  for_pieces(team, influence.size(), [&](const Piece& piece) {
    forward(train, piece);
    piece.space.dlogits.resize(piece.rows, shape_.classes);
    trial.train_row(piece.first, piece.space.logits, piece.space.dlogits);
    tangent(direction.data(), piece);
    for (std::size_t i = 0; i < piece.rows; ++i) {
      double slope = 0.0;  // of the row's loss when the weights move along the direction
      for (std::size_t k = 0; k < shape_.classes; ++k)
        slope += static_cast<double>(piece.space.dlogits(i, k)) *
                 static_cast<double>(piece.space.logit_tangents(i, k));
      influence[piece.first + i] = -trial.rate * static_cast<float>(slope);
    }
  });
  return influence;
}

// Computes the change of all activations and logits of a piece along a direction, after the forward
// pass of the piece.
void Mlp::tangent(const float* direction, const Piece& piece) const {
  Workspace& space = piece.space;
  space.add_tangents();
  for (const MlpLayer& layer : layout_.layers()) {
    if (layer.output) continue;
    const std::size_t l = layer.panels.front().layer;
    Workspace::Level& from = space.levels[l];
    Workspace::Level& to = space.levels[l + 1];
    for (const MlpPanel& panel : layer.panels) {
      Product product{.rows = piece.rows,
                      .cols = panel.stride,
                      .depth = layer.in + 1,
                      .a = {from.value(), from.stride, 1},
                      .b = direction + panel.offset,
                      .b_stride = panel.stride,
                      .c = to.tangent() + panel.columns.begin,
                      .c_stride = to.stride,
                      .into = Into::kStore};
      multiply(product);
      if (l == 0) continue;
      product.depth = layer.in;
      product.a.data = from.tangent();
      product.b = piece.parameters.weights.data() + panel.offset;
      product.into = Into::kAdd;
      multiply(product);
    }
    for (std::size_t i = 0; i < piece.rows * to.stride; ++i) to.tangent()[i] *= to.slope()[i];
  }
  Workspace::Level& last = space.levels.back();
  space.logit_tangents.resize(piece.rows, shape_.classes);
  space.carried_tangents.resize(piece.rows, shape_.classes);
  kernels::head_forward(piece.values_with_one(last), head(direction),
                        space.logit_tangents.values().data());
  kernels::head_forward({last.tangent(), piece.rows, padded_width(last.width + 1), last.stride},
                        head(piece.parameters.weights.data()),
                        space.carried_tangents.values().data());
  for (std::size_t i = 0; i < piece.rows; ++i)
    for (std::size_t k = 0; k < shape_.classes; ++k)
      space.logit_tangents(i, k) += space.carried_tangents(i, k);
}

}  // namespace uaspl
