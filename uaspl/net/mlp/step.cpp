// Computes a training step of the native network, with the same bits for any number of workers: the
// rows are cut into groups by their number alone, and the gradients of the groups are added up as a
// tree.
//
// Every worker has a copy of the parameters. It computes a branch of the tree, then adds up the
// gradients of all and steps with its copy: nothing but gradients goes from cache to cache.
#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cmath>

#include "uaspl/base/rng.hpp"
#include "uaspl/net/mlp/mlp.hpp"
#include "uaspl/net/mlp/workspace.hpp"

namespace uaspl {

using kernels::Into;
using kernels::Product;

std::shared_ptr<Workers> workers_for(std::size_t rows, std::size_t threads) {
  const std::size_t useful = Cut(rows).tasks(threads);
  return useful > 1 ? std::make_shared<Workers>(useful) : nullptr;
}

// The workspace is kept from call to call: fresh memory would cost more than a small step.
ScratchPool<Mlp::Workspace>::Loan Mlp::borrow_workspace() const {
  return workspaces_.borrow([&] { return std::make_unique<Workspace>(shape_); });
}

const MlpParameters& Mlp::parameters_of(std::size_t worker) const {
  return worker > 0 && worker <= fresh_copies_ ? copies_[worker - 1] : parameters_;
}

Mlp::Piece Mlp::piece(Workspace& space, std::size_t worker, Range block) const {
  return {space, parameters_of(worker), block.begin, block.size()};
}

// Runs the task block by block; each worker takes its share of the rows.
void Mlp::for_pieces(Team& team, std::size_t rows, const PieceTask& task) const {
  team.run([&](std::size_t worker, std::size_t) {
    const auto space = borrow_workspace();
    const Range own = Share{worker, team.tasks()}.of(rows);
    for (Range block{own.begin, own.begin}; block.end < own.end;) {
      block = Cut::block(block.end, own.end);
      task(piece(*space, worker, block));
    }
  });
}

void Mlp::forward(const Pass& pass, const Piece& piece) const {
  Workspace& space = piece.space;
  Workspace::Level& input = space.levels.front();
  for (std::size_t i = 0; i < piece.rows; ++i) {
    const auto row = static_cast<std::size_t>(pass.rows[piece.first + i]);
    assert(row < pass.inputs.rows());
    std::copy_n(pass.inputs.row(row).data(), shape_.inputs, input.value(i));
  }
  const float* weights = piece.parameters.weights.data();
  for (std::size_t l = 0; l < shape_.hidden.size(); ++l) {
    const MlpLayer& layer = layout_.layers()[l];
    Workspace::Level& from = space.levels[l];
    Workspace::Level& to = space.levels[l + 1];
    for (const MlpPanel& panel : layer.panels)
      multiply(Product{.rows = piece.rows,
                       .cols = panel.stride,
                       .depth = layer.in + 1,
                       .a = {from.value(), from.stride, 1},
                       .b = weights + panel.offset,
                       .b_stride = panel.stride,
                       .c = to.value() + panel.columns.begin,
                       .c_stride = to.stride,
                       .into = Into::kStore});
    kernels::gelu(piece.values(to), to.slope());
    if (pass.dropout > 0.0F)
      kernels::dropout(piece.values(to), to.slope(), pass.dropout, mix_bits(pass.dropout_seed + l),
                       piece.first);
    piece.restore_one(to);
  }
  piece.space.logits.resize(piece.rows, shape_.classes);
  kernels::head_forward(piece.values_with_one(space.levels.back()), head(weights),
                        piece.space.logits.values().data());
}

// Computes the gradient on every pre-activation, which overwrites its slope, from the logits'
// gradient.
void Mlp::backward(const Piece& piece) const {
  Workspace& space = piece.space;
  kernels::head_backward(piece.slopes(space.levels.back()), head(piece.parameters.weights.data()),
                         piece.space.dlogits.values().data());
  for (std::size_t l = shape_.hidden.size() - 1; l > 0; --l) {
    const MlpLayer& layer = layout_.layers()[l];
    Workspace::Level& below = space.levels[l];
    Workspace::Level& above = space.levels[l + 1];
    for (const MlpPanel& panel : layer.transposed)
      multiply(Product{.rows = piece.rows,
                       .cols = panel.stride,
                       .depth = layer.out,
                       .a = {above.slope(), above.stride, 1},
                       .b = piece.parameters.transposed[l].data() + panel.offset,
                       .b_stride = panel.stride,
                       .c = below.slope() + panel.columns.begin,
                       .c_stride = below.stride,
                       .into = Into::kScale});
  }
}

// Computes the gradient of a panel for a piece, after the backward pass of the piece.
void Mlp::weight_gradient(const Piece& piece, const MlpPanel& panel, float* gradient,
                          bool add) const {
  const MlpLayer& layer = layout_.layers()[panel.layer];
  Workspace::Level& below = piece.space.levels[panel.layer];
  if (layer.output)
    return kernels::head_gradient(piece.values_with_one(below),
                                  head(piece.parameters.weights.data()),
                                  piece.space.dlogits.values().data(), gradient, add);
  Workspace::Level& above = piece.space.levels[panel.layer + 1];
  multiply(Product{.rows = layer.in + 1,
                   .cols = panel.stride,
                   .depth = piece.rows,
                   .a = {below.value(), 1, below.stride},
                   .b = above.slope() + panel.columns.begin,
                   .b_stride = above.stride,
                   .c = gradient,
                   .c_stride = panel.stride,
                   .into = add ? Into::kAdd : Into::kStore});
}

// Computes the gradient of a group. If it is the only group of a step, it is a single block. The
// worker then finishes with each panel while it is in its cache, and all panels can use the same
// memory.
void Mlp::group_gradient(const StepContext& context, Workspace& space, std::size_t task,
                         std::size_t group, float* gradient) const {
  const Range rows = context.cut.rows_of(group);
  const bool only = context.cut.groups() == 1;
  for (Range block{rows.begin, rows.begin}; block.end < rows.end;) {
    block = Cut::block(block.end, rows.end);
    const Piece piece = this->piece(space, task, block);
    forward(context.pass, piece);
    space.dlogits.resize(piece.rows, shape_.classes);
    context.logit_gradient(piece.first, space.logits, space.dlogits);
    backward(piece);
    for (const MlpLayer& layer : layout_.layers()) {
      for (const MlpPanel& panel : layer.panels) {
        float* own = gradient + (only ? 0 : panel.offset);
        weight_gradient(piece, panel, own, block.begin > rows.begin);
        if (only) context.finish(task, panel, own);
      }
    }
  }
}

// Computes the sum over some groups, which are a branch of the tree.
void Mlp::branch_gradient(const StepContext& context, Workspace& space, std::size_t task,
                          Range groups, float* gradient) const {
  if (groups.size() == 1) return group_gradient(context, space, task, groups.begin, gradient);
  const std::size_t middle = groups.begin + groups.size() / 2;
  auto& spare = context.buffers[task].of_right;
  const auto height = static_cast<std::size_t>(std::countr_zero(groups.size()));
  spare.resize(std::max(spare.size(), height));
  AlignedVector<float>& right = spare[height - 1];
  right.resize(layout_.size());
  branch_gradient(context, space, task, {groups.begin, middle}, gradient);
  branch_gradient(context, space, task, {middle, groups.end}, right.data());
  const std::array<const float*, 2> halves{gradient, right.data()};
  kernels::add_as_tree(halves, {gradient, right.size()});
}

// Finishes each panel with the sum of all workers' gradients, which is added up as a tree too.
void Mlp::finish_sum(const StepContext& context, const Share& share) const {
  AlignedVector<float>& sum = context.buffers[share.task].sum;
  std::vector<const float*> branches(share.tasks);
  for (const MlpLayer& layer : layout_.layers()) {
    for (const MlpPanel& panel : layer.panels) {
      for (std::size_t task = 0; task < share.tasks; ++task)
        branches[task] = &context.buffers[task].gradient[panel.offset];
      if (share.tasks > 1) kernels::add_as_tree(branches, {sum.data(), panel.size});
      context.finish(share.task, panel, share.tasks > 1 ? sum.data() : branches.front());
    }
  }
}

void Mlp::gradient(Team& team, const StepContext& context) const {
  team.run([&](std::size_t task, std::size_t) {
    const auto space = borrow_workspace();
    WorkerBuffers& buffers = context.buffers[task];
    buffers.gradient.resize(layout_.size());
    if (team.tasks() > 1) buffers.sum.resize(layout_.largest_panel());
    branch_gradient(context, *space, task, Share{task, team.tasks()}.of(context.cut.groups()),
                    buffers.gradient.data());
  });
  if (context.cut.groups() == 1) return;  // group_gradient() has finished the panels
  team.run([&](std::size_t task, std::size_t) { finish_sum(context, {task, team.tasks()}); });
}

void Mlp::refresh_copies(Team& team) {
  if (fresh_copies_ + 1 >= team.tasks()) return;
  copies_.resize(std::max(copies_.size(), team.tasks() - 1));
  team.run([&](std::size_t task, std::size_t) {
    if (task > fresh_copies_) copies_[task - 1] = parameters_;
  });
  fresh_copies_ = team.tasks() - 1;
}

// Buffers of the optimiser are zero before the first step. SGD's is then not read, because it takes
// the first gradient as it is.
void Mlp::update(const Batch& batch, const Step& step, const LogitGradient& logit_gradient) {
  if (batch.rows.empty()) return;
  const Pass pass{inputs_of(batch), batch.rows, step.dropout, step.seed};
  const bool first_step = parameters_.momentum.empty();
  if (first_step) forget_momentum();  // the copies have none either
  parameters_.momentum.resize(layout_.size());
  if (step.optimiser == Optimiser::kAdamW) parameters_.squares.resize(layout_.size());
  Team team(workers_.get(), batch.rows.size());
  buffers_.resize(std::max(buffers_.size(), team.tasks()));
  const Descent descent = this->descent(step, first_step);
  const Finish descend_all = [&](std::size_t task, const MlpPanel& panel, const float* sum) {
    descend(panel, sum, descent, task == 0 ? parameters_ : copies_[task - 1]);
  };
  try {
    refresh_copies(team);
    gradient(team, {pass, logit_gradient, descend_all, Cut(batch.rows.size()), buffers_});
  } catch (...) {
    if (first_step) forget_momentum();  // there was none before
    fresh_copies_ = 0;
    throw;
  }
  steps_ += 1.0;
  fresh_copies_ = team.tasks() - 1;
}

Mlp::Descent Mlp::descent(const Step& step, bool first_step) const {
  if (step.optimiser == Optimiser::kSgd)
    return {std::nullopt, {step.rate, step.momentum, step.decay, first_step}};
  const auto begun = [&](float keep) { return 1.0 - std::pow(double{keep}, steps_ + 1.0); };
  return {
      kernels::AdamW{.rate = static_cast<float>(step.rate / begun(step.momentum)),
                     .keep = step.momentum,
                     .second_keep = step.second_keep,
                     .shrink = 1.0F - step.rate * step.decay,
                     .root_correct = static_cast<float>(1.0 / std::sqrt(begun(step.second_keep)))},
      {}};
}

// Takes a step with one panel.
void Mlp::descend(const MlpPanel& panel, const float* gradient, const Descent& descent,
                  MlpParameters& parameters) const {
  const auto part = [&](AlignedVector<float>& of) {
    return std::span<float>(&of[panel.offset], panel.size);
  };
  if (descent.adamw)
    kernels::adamw_step(part(parameters.weights), part(parameters.momentum),
                        part(parameters.squares), gradient, *descent.adamw);
  else
    kernels::sgd_step(part(parameters.weights), part(parameters.momentum), gradient, descent.sgd);
  layout_.transpose(panel, parameters);
}

}  // namespace uaspl
