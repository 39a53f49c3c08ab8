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
  after->parameters_.weights = parameters_.weights;
  after->parameters_.momentum.resize(layout_.size());
  after->forget_copies();
  gradient(trial.train, {}, trial.train_step,
           [&](std::size_t task, const MlpPanel& panel, const float* sum) {
             const kernels::Sgd plain{trial.rate, 0.0F, 0.0F, true};
             if (task == 0) after->descend(panel, sum, plain, after->parameters_);
           });
  AlignedVector<float>& direction = after->parameters_.momentum;  // not needed any more
  after->gradient(trial.meta, {}, trial.meta_mean,
                  [&](std::size_t task, const MlpPanel& panel, const float* sum) {
                    if (task == 0) std::copy_n(sum, panel.size, &direction[panel.offset]);
                  });
  workspace(influence.size()).add_tangents();
  for_pieces(influence.size(), [&](const Piece& piece) {
    forward(trial.train, piece);
    piece.desk.dlogits.resize(piece.rows, shape_.classes);
    trial.train_row(piece.first, piece.desk.logits, piece.desk.dlogits);
    tangent(direction.data(), piece);
    for (std::size_t i = 0; i < piece.rows; ++i) {
      double slope = 0.0;  // of the row's loss when the weights move along the direction
      for (std::size_t k = 0; k < shape_.classes; ++k)
        slope += static_cast<double>(piece.desk.dlogits(i, k)) *
                 static_cast<double>(piece.desk.logit_tangents(i, k));
      influence[piece.first + i] = -trial.rate * static_cast<float>(slope);
    }
  });
  return influence;
}

// The change of all activations and logits of a piece, just passed forward, along a direction.
void Mlp::tangent(const float* direction, const Piece& piece) const {
  Workspace& space = piece.space;
  Workspace::Desk& desk = piece.desk;
  for (const MlpLayer& layer : layout_.layers()) {
    if (layer.output) continue;
    const std::size_t l = layer.panels.front().layer;
    Workspace::Level& from = space.levels[l];
    Workspace::Level& to = space.levels[l + 1];
    for (const MlpPanel& panel : layer.panels) {
      Product product{.rows = piece.rows,
                      .cols = panel.stride,
                      .depth = layer.in + 1,
                      .a = {from.value(piece.at), from.stride, 1},
                      .b = direction + panel.offset,
                      .b_stride = panel.stride,
                      .c = to.tangent(piece.at) + panel.columns.begin,
                      .c_stride = to.stride,
                      .into = Into::kStore};
      multiply(product);
      if (l == 0) continue;
      product.depth = layer.in;
      product.a.data = from.tangent(piece.at);
      product.b = piece.parameters.weights.data() + panel.offset;
      product.into = Into::kAdd;
      multiply(product);
    }
    for (std::size_t i = 0; i < piece.rows * to.stride; ++i)
      to.tangent(piece.at)[i] *= to.slope(piece.at)[i];
  }
  Workspace::Level& last = space.levels.back();
  desk.logit_tangents.resize(piece.rows, shape_.classes);
  desk.carried_tangents.resize(piece.rows, shape_.classes);
  kernels::head_forward(piece.values_with_one(last), head(direction),
                        desk.logit_tangents.values().data());
  kernels::head_forward(
      {last.tangent(piece.at), piece.rows, padded_width(last.width + 1), last.stride},
      head(piece.parameters.weights.data()), desk.carried_tangents.values().data());
  for (std::size_t i = 0; i < piece.rows; ++i)
    for (std::size_t k = 0; k < shape_.classes; ++k)
      desk.logit_tangents(i, k) += desk.carried_tangents(i, k);
}

}  // namespace uaspl
