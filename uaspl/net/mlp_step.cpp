// A training step of the native network, the same bits for any number of workers: the rows are cut
// into groups by their number alone, and the gradients of the groups are added up as a tree.
//
// Every worker has a copy of the parameters. It computes a branch of the tree, then adds up the
// gradients of all and steps with its copy: nothing but gradients goes from cache to cache.
#include <algorithm>
#include <array>
#include <bit>

#include "uaspl/base/denormals.hpp"
#include "uaspl/base/rng.hpp"
#include "uaspl/net/mlp.hpp"
#include "uaspl/net/mlp_workspace.hpp"

namespace uaspl {

using kernels::Into;
using kernels::Product;

std::shared_ptr<Workers> workers_for(std::size_t rows, std::size_t threads) {
  const std::size_t useful = Cut(rows).tasks(threads);
  return useful > 1 ? std::make_shared<Workers>(useful) : nullptr;
}

std::size_t Mlp::tasks(std::size_t rows) const {
  return Cut(rows).tasks(workers_ ? workers_->size() : 1);
}

void Mlp::share(std::size_t tasks, const Workers::Task& task) const {
  const auto compute = [&](std::size_t number, std::size_t worker) {
    const WithoutDenormals mode;
    task(number, worker);
  };
  if (tasks == 1) return compute(0, 0);
  workers_->run_at_home(tasks, compute);
}

// Kept from call to call: fresh memory would cost more than a small step.
Mlp::Workspace& Mlp::workspace(std::size_t rows) const {
  auto& space = scratch_.space;
  const std::size_t workers = tasks(rows);
  if (!space || space->desks.size() < workers) space = std::make_unique<Workspace>(shape_, workers);
  return *space;
}

// A block of rows, in the worker's part of the workspace.
Mlp::Piece Mlp::piece(std::size_t worker, Range block) const {
  Workspace& space = *scratch_.space;
  Workspace::Desk& desk = space.desks[worker];
  const bool has_copy = worker > 0 && worker <= space.fresh_copies;
  return {space,       desk, has_copy ? desk.copy : parameters_, block.begin, worker * Cut::kBlock,
          block.size()};
}

// Block by block, each worker its share of the rows.
void Mlp::for_pieces(std::size_t rows, const PieceTask& task) const {
  workspace(rows);
  const std::size_t workers = tasks(rows);
  share(workers, [&](std::size_t worker, std::size_t) {
    const Range own = Share{worker, workers}.of(rows);
    for (Range block{own.begin, own.begin}; block.end < own.end;) {
      block = Cut::block(block.end, own.end);
      task(piece(worker, block));
    }
  });
}

void Mlp::forward(const Batch& batch, const Piece& piece) const {
  Workspace& space = piece.space;
  Workspace::Level& input = space.levels.front();
  for (std::size_t i = 0; i < piece.rows; ++i) {
    const auto row = static_cast<std::size_t>(batch.rows[piece.first + i]);
    std::copy_n(inputs_->row(row).data(), shape_.inputs, input.value(piece.at + i));
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
                       .a = {from.value(piece.at), from.stride, 1},
                       .b = weights + panel.offset,
                       .b_stride = panel.stride,
                       .c = to.value(piece.at) + panel.columns.begin,
                       .c_stride = to.stride,
                       .into = Into::kStore});
    kernels::gelu(piece.values(to), to.slope(piece.at));
    if (space.dropout > 0.0F)
      kernels::dropout(piece.values(to), to.slope(piece.at), space.dropout,
                       mix_bits(space.dropout_seed + l), piece.first);
    piece.restore_one(to);
  }
  piece.desk.logits.resize(piece.rows, shape_.classes);
  kernels::head_forward(piece.values_with_one(space.levels.back()), head(weights),
                        piece.desk.logits.values().data());
}

// From the logits' gradient to that on every pre-activation, which overwrites its slope.
void Mlp::backward(const Piece& piece) const {
  Workspace& space = piece.space;
  kernels::head_backward(piece.slopes(space.levels.back()), head(piece.parameters.weights.data()),
                         piece.desk.dlogits.values().data());
  for (std::size_t l = shape_.hidden.size() - 1; l > 0; --l) {
    const MlpLayer& layer = layout_.layers()[l];
    Workspace::Level& below = space.levels[l];
    Workspace::Level& above = space.levels[l + 1];
    for (const MlpPanel& panel : layer.transposed)
      multiply(Product{.rows = piece.rows,
                       .cols = panel.stride,
                       .depth = layer.out,
                       .a = {above.slope(piece.at), above.stride, 1},
                       .b = piece.parameters.transposed[l].data() + panel.offset,
                       .b_stride = panel.stride,
                       .c = below.slope(piece.at) + panel.columns.begin,
                       .c_stride = below.stride,
                       .into = Into::kScale});
  }
}

// Of a panel, for a piece that has been passed back.
void Mlp::weight_gradient(const Piece& piece, const MlpPanel& panel, float* gradient,
                          bool add) const {
  const MlpLayer& layer = layout_.layers()[panel.layer];
  Workspace::Level& below = piece.space.levels[panel.layer];
  if (layer.output)
    return kernels::head_gradient(piece.values_with_one(below),
                                  head(piece.parameters.weights.data()),
                                  piece.desk.dlogits.values().data(), gradient, add);
  Workspace::Level& above = piece.space.levels[panel.layer + 1];
  multiply(Product{.rows = layer.in + 1,
                   .cols = panel.stride,
                   .depth = piece.rows,
                   .a = {below.value(piece.at), 1, below.stride},
                   .b = above.slope(piece.at) + panel.columns.begin,
                   .b_stride = above.stride,
                   .c = gradient,
                   .c_stride = panel.stride,
                   .into = add ? Into::kAdd : Into::kStore});
}

// The only group of a step is a single block. The worker then finishes with each panel while it has
// it in its cache, and all of them can use the same memory.
void Mlp::group_gradient(const Work& work, std::size_t task, std::size_t group,
                         float* gradient) const {
  const Range rows = work.cut.rows_of(group);
  const bool only = work.cut.groups() == 1;
  for (Range block{rows.begin, rows.begin}; block.end < rows.end;) {
    block = Cut::block(block.end, rows.end);
    const Piece piece = this->piece(task, block);
    forward(work.batch, piece);
    piece.desk.dlogits.resize(piece.rows, shape_.classes);
    work.logit_gradient(piece.first, piece.desk.logits, piece.desk.dlogits);
    backward(piece);
    for (const MlpLayer& layer : layout_.layers()) {
      for (const MlpPanel& panel : layer.panels) {
        float* own = gradient + (only ? 0 : panel.offset);
        weight_gradient(piece, panel, own, block.begin > rows.begin);
        if (only) work.finish(task, panel, own);
      }
    }
  }
}

// The sum over some groups, a branch of the tree.
void Mlp::branch_gradient(const Work& work, std::size_t task, Range groups, float* gradient) const {
  if (groups.size() == 1) return group_gradient(work, task, groups.begin, gradient);
  const std::size_t middle = groups.begin + groups.size() / 2;
  auto& spare = work.space.desks[task].of_right;
  const auto height = static_cast<std::size_t>(std::countr_zero(groups.size()));
  spare.resize(std::max(spare.size(), height));
  AlignedVector<float>& right = spare[height - 1];
  right.resize(layout_.size());
  branch_gradient(work, task, {groups.begin, middle}, gradient);
  branch_gradient(work, task, {middle, groups.end}, right.data());
  const std::array<const float*, 2> halves{gradient, right.data()};
  kernels::add_as_tree(halves, {gradient, right.size()});
}

// With the sum of all workers' gradients, again as a tree.
void Mlp::finish_sum(const Work& work, const Share& share) const {
  AlignedVector<float>& sum = work.space.desks[share.task].sum;
  std::vector<const float*> branches(share.tasks);
  for (const MlpLayer& layer : layout_.layers()) {
    for (const MlpPanel& panel : layer.panels) {
      for (std::size_t task = 0; task < share.tasks; ++task)
        branches[task] = &work.space.desks[task].gradient[panel.offset];
      if (share.tasks > 1) kernels::add_as_tree(branches, {sum.data(), panel.size});
      work.finish(share.task, panel, share.tasks > 1 ? sum.data() : branches.front());
    }
  }
}

void Mlp::refresh_copies(std::size_t workers) const {
  Workspace& space = *scratch_.space;
  if (space.fresh_copies + 1 >= workers) return;
  share(workers, [&](std::size_t task, std::size_t) {
    if (task > space.fresh_copies) space.desks[task].copy = parameters_;
  });
  space.fresh_copies = workers - 1;
}

void Mlp::gradient(const Batch& batch, const Step& step, const LogitGradient& logit_gradient,
                   const Finish& finish) const {
  const std::size_t rows = batch.rows.size();
  const std::size_t workers = tasks(rows);
  const Work work{batch, logit_gradient, finish, Cut(rows), workspace(rows)};
  work.space.dropout = step.dropout;
  work.space.dropout_seed = step.seed;
  refresh_copies(workers);
  share(workers, [&](std::size_t task, std::size_t) {
    Workspace::Desk& desk = work.space.desks[task];
    desk.gradient.resize(layout_.size());
    if (workers > 1) desk.sum.resize(layout_.largest_panel());
    branch_gradient(work, task, Share{task, workers}.of(work.cut.groups()), desk.gradient.data());
  });
  if (work.cut.groups() == 1) return;  // finished with
  share(workers, [&](std::size_t task, std::size_t) { finish_sum(work, {task, workers}); });
}

void Mlp::update(const Batch& batch, const Step& step, const LogitGradient& logit_gradient) {
  if (batch.rows.empty()) return;
  const bool first_step = parameters_.momentum.empty();
  parameters_.momentum.resize(layout_.size());
  if (first_step) forget_copies();  // they have none
  const kernels::Sgd sgd{step.rate, step.momentum, step.decay, first_step};
  try {
    gradient(batch, step, logit_gradient,
             [&](std::size_t task, const MlpPanel& panel, const float* sum) {
               descend(panel, sum, sgd, task == 0 ? parameters_ : scratch_.space->desks[task].copy);
             });
  } catch (...) {
    if (first_step) parameters_.momentum.clear();  // there was none
    forget_copies();
    throw;
  }
  scratch_.space->fresh_copies = tasks(batch.rows.size()) - 1;
}

// One panel takes a step.
void Mlp::descend(const MlpPanel& panel, const float* gradient, const kernels::Sgd& sgd,
                  MlpParameters& parameters) const {
  kernels::sgd_step({&parameters.weights[panel.offset], panel.size},
                    {&parameters.momentum[panel.offset], panel.size}, gradient, sgd);
  layout_.transpose(panel, parameters);
}

}  // namespace uaspl
