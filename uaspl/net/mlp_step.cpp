// A training step of the native network, the same bits for any number of workers: the gradients of
// the chunks are added up in their order, whoever computes them.
//
// Workers take whole chunks while there is one for each. The first takes them from the front and
// adds them up as it goes; the others take them from the back and keep the gradient of each apart.
// Chunks left over are shared: first their rows, forward and back to the gradient on every
// pre-activation, then the parameters. In the end every worker completes the sum for its share of
// the parameters and steps.
#include <algorithm>

#include "uaspl/base/rng.hpp"
#include "uaspl/net/mlp.hpp"
#include "uaspl/net/mlp_workspace.hpp"

namespace uaspl {

using kernels::Into;
using kernels::padded_width;
using kernels::Product;
using kernels::row_stride;

namespace {

constexpr std::size_t kWorthwhile = 20;  // rows for each of two workers

}  // namespace

// As many as there are chunks, and two for less; more for less was never measured.
std::size_t Mlp::tasks(std::size_t rows) const {
  const std::size_t useful =
      std::max(Chunks(rows).count(), std::min<std::size_t>(rows / kWorthwhile, 2));
  return std::clamp<std::size_t>(useful, 1, workers_ ? workers_->size() : 1);
}

void Mlp::share(std::size_t tasks, const Workers::Task& task) const {
  if (tasks == 1) return task(0, 0);
  workers_->run_at_home(tasks, task);
}

// Kept from call to call: fresh memory would cost more than a small step.
Mlp::Workspace& Mlp::workspace(std::size_t rows) const {
  auto& space = scratch_.space;
  const std::size_t workers = tasks(rows);
  if (!space || space->desks.size() < workers) space = std::make_unique<Workspace>(shape_, workers);
  return *space;
}

void Mlp::for_pieces(std::size_t rows, const PieceTask& task) const {
  const std::size_t workers = tasks(rows);
  Workspace& space = workspace(rows);
  for (std::size_t begin = 0; begin < rows; begin += workers * Chunks::kBlock)
    share_rows({begin, std::min(begin + workers * Chunks::kBlock, rows)}, workers, space, task);
}

void Mlp::share_rows(Range group, std::size_t tasks, Workspace& space,
                     const PieceTask& task) const {
  share(tasks, [&](std::size_t number, std::size_t) {
    const Range range = Share{number, tasks}.of(group.size(), 1);
    if (range.size() > 0)
      task(Piece{space, space.desks[number], group.begin + range.begin, range.begin, range.size()});
  });
}

void Mlp::forward(const Batch& batch, const Piece& piece) const {
  Workspace& space = piece.space;
  Workspace::Level& input = space.levels.front();
  for (std::size_t i = 0; i < piece.rows; ++i)
    std::ranges::copy(inputs_->row(static_cast<std::size_t>(batch.rows[piece.first + i])),
                      input.value(piece.at + i));
  for (std::size_t l = 0; l + 1 < layers_.size(); ++l) {
    const Layer& layer = layers_[l];
    Workspace::Level& from = space.levels[l];
    Workspace::Level& to = space.levels[l + 1];
    multiply(Product{.rows = piece.rows,
                     .cols = padded_width(layer.out),
                     .depth = layer.in + 1,
                     .a = {from.value(piece.at), from.stride, 1},
                     .b = weights_.data() + layer.offset,
                     .b_stride = layer.stride,
                     .c = to.value(piece.at),
                     .c_stride = to.stride,
                     .into = Into::kStore});
    kernels::gelu(piece.values(to), to.slope(piece.at));
    if (space.dropout > 0.0F)
      kernels::dropout(piece.values(to), to.slope(piece.at), space.dropout,
                       mix_bits(space.dropout_seed + l), piece.first);
    piece.restore_one(to);
  }
  piece.desk.logits.resize(piece.rows, shape_.classes);
  kernels::head_forward(piece.values_with_one(space.levels.back()), head(weights_.data()),
                        piece.desk.logits.values().data());
}

// From the logits' gradient to that on every pre-activation, which overwrites its slope.
void Mlp::backward(const Piece& piece) const {
  Workspace& space = piece.space;
  float* dlogits = space.dlogits.data() + piece.at * shape_.classes;
  std::ranges::copy(piece.desk.dlogits.values(), dlogits);
  kernels::head_backward(piece.slopes(space.levels.back()), head(weights_.data()), dlogits);
  for (std::size_t l = layers_.size() - 2; l > 0; --l) {
    const Layer& layer = layers_[l];
    Workspace::Level& below = space.levels[l];
    Workspace::Level& above = space.levels[l + 1];
    multiply(Product{.rows = piece.rows,
                     .cols = padded_width(layer.in),
                     .depth = layer.out,
                     .a = {above.slope(piece.at), above.stride, 1},
                     .b = transposed_[l - 1].data(),
                     .b_stride = row_stride(layer.in),
                     .c = below.slope(piece.at),
                     .c_stride = below.stride,
                     .into = Into::kScale});
  }
}

// Of the rows at these places of the workspace, for a share of the parameters.
void Mlp::weight_gradient(const Share& share, Range rows, Workspace& space, float* gradient,
                          bool add) const {
  const std::size_t depth = rows.size();
  for (std::size_t l = 0; l + 1 < layers_.size(); ++l) {
    const Layer& layer = layers_[l];
    Workspace::Level& below = space.levels[l];
    Workspace::Level& above = space.levels[l + 1];
    const Range own = layer.own(share);
    multiply(Product{.rows = own.size(),
                     .cols = padded_width(layer.out),
                     .depth = depth,
                     .a = {below.value(rows.begin) + own.begin, 1, below.stride},
                     .b = above.slope(rows.begin),
                     .b_stride = above.stride,
                     .c = gradient + layer.offset + own.begin * layer.stride,
                     .c_stride = layer.stride,
                     .into = add ? Into::kAdd : Into::kStore});
  }
  Workspace::Level& last = space.levels.back();
  const Range own = output_layer().own(share);
  kernels::head_gradient({last.value(rows.begin) + own.begin, depth, own.size(), last.stride},
                         head(weights_.data()), space.dlogits.data() + rows.begin * shape_.classes,
                         gradient + output_layer().offset + own.begin, add);
}

// The ranges of the parameters that are a task's own, as weight_gradient() shares them.
void Mlp::for_ranges(const Share& share, const std::function<void(Range)>& task) const {
  for (const Layer& layer : layers_) {
    const Range own = layer.own(share);
    if (layer.output) {
      for (std::size_t k = 0; k < layer.out; ++k) {
        const std::size_t row = layer.offset + k * layer.stride;
        task({row + own.begin, row + own.end});
      }
    } else {
      task({layer.offset + own.begin * layer.stride, layer.offset + own.end * layer.stride});
    }
  }
}

void Mlp::pass(const Work& work, const Piece& piece) const {
  forward(work.batch, piece);
  piece.desk.dlogits.resize(piece.rows, shape_.classes);
  work.logit_gradient(piece.first, piece.desk.logits, piece.desk.dlogits);
  backward(piece);
}

// Whole chunks, in the worker's part of the workspace.
void Mlp::add_own(Work& work, std::size_t task) const {
  const Chunks& cut = work.deal.cut;
  const std::size_t at = task * Chunks::kBlock;
  while (const auto chunk = work.deal.take(task)) {
    const Range rows = cut.rows_of(*chunk);
    for (std::size_t first = rows.begin; first < rows.end; first = cut.block_end(first)) {
      const std::size_t count = cut.block_end(first) - first;
      pass(work, {work.space, work.space.desks[task], first, at, count});
      if (task == 0) {
        add_block({0, 1}, work, first, at);
      } else {
        AlignedVector<float>& kept = scratch_.kept[cut.count() - 1 - *chunk];
        kept.resize(weights_.size());
        weight_gradient({0, 1}, {at, at + count}, work.space, kept.data(), first > rows.begin);
      }
    }
  }
}

// Adds a block, next in their order, to a share of the sum.
void Mlp::add_block(const Share& share, const Work& work, std::size_t first, std::size_t at) const {
  const Chunks& cut = work.deal.cut;
  const std::size_t end = cut.block_end(first);
  const Range places{at, at + end - first};
  float* sum = scratch_.gradient.data();
  if (first < cut.each || cut.each <= Chunks::kBlock)
    return weight_gradient(share, places, work.space, sum, first > 0);
  weight_gradient(share, places, work.space, scratch_.chunk.data(), first % cut.each != 0);
  if (end % cut.each == 0 || end == cut.all) add_up(share, scratch_.chunk);
}

void Mlp::add_up(const Share& share, std::span<const float> more) const {
  for_ranges(share, [&](Range own) {
    for (std::size_t i = own.begin; i < own.end; ++i) scratch_.gradient[i] += more[i];
  });
}

// The chunks that all share, a group of blocks at a time.
void Mlp::add_shared(const Work& work) const {
  const Range rows = work.deal.shared_rows();
  for (Range group{rows.begin, rows.begin}; group.end < rows.end;) {
    group.begin = group.end;
    for (std::size_t i = 0; i < work.deal.tasks && group.end < rows.end; ++i)
      group.end = work.deal.cut.block_end(group.end);
    share_rows(group, work.deal.tasks, work.space, [&](const Piece& piece) { pass(work, piece); });
    share(work.deal.tasks, [&](std::size_t task, std::size_t) {
      for (std::size_t first = group.begin; first < group.end;
           first = work.deal.cut.block_end(first))
        add_block({task, work.deal.tasks}, work, first, first - group.begin);
    });
  }
}

std::span<const float> Mlp::gradient(const Batch& batch, const Step& step,
                                     const LogitGradient& logit_gradient,
                                     const Finish& finish) const {
  const std::size_t rows = batch.rows.size();
  Work work{batch, logit_gradient, {rows, tasks(rows), weights_.size()}, workspace(rows)};
  work.space.dropout = step.dropout;
  work.space.dropout_seed = step.seed;
  scratch_.gradient.resize(weights_.size());
  if (work.deal.cut.each > Chunks::kBlock) scratch_.chunk.resize(weights_.size());
  scratch_.kept.resize(std::max(scratch_.kept.size(), work.deal.cut.count()));
  if (work.deal.any())
    share(work.deal.tasks, [&](std::size_t task, std::size_t) { add_own(work, task); });
  add_shared(work);
  share(work.deal.tasks, [&](std::size_t task, std::size_t) {
    const Share own{task, work.deal.tasks};
    for (std::size_t i = work.deal.kept(); i-- > 0;) add_up(own, scratch_.kept[i]);
    finish(own, scratch_.gradient);
  });
  return scratch_.gradient;
}

void Mlp::update(const Batch& batch, const Step& step, const LogitGradient& logit_gradient) {
  if (batch.rows.empty()) return;
  const bool first_step = momentum_.empty();
  momentum_.resize(weights_.size());
  try {
    gradient(batch, step, logit_gradient, [&](const Share& share, std::span<const float> sum) {
      descend(share, sum, {step.rate, step.momentum, step.decay, first_step});
    });
  } catch (...) {
    if (first_step) momentum_.clear();  // there was none
    throw;
  }
}

// A share of the parameters takes a step.
void Mlp::descend(const Share& share, std::span<const float> gradient, const kernels::Sgd& sgd) {
  for_ranges(share, [&](Range own) {
    const std::size_t count = own.size();
    kernels::sgd_step(std::span(weights_).subspan(own.begin, count),
                      std::span(momentum_).subspan(own.begin, count), gradient.data() + own.begin,
                      sgd);
  });
  refresh_transposed(share);
}

void Mlp::refresh_transposed(const Share& share) {
  for (std::size_t l = 1; l + 1 < layers_.size(); ++l) {
    const Layer& layer = layers_[l];
    const Range own = layer.own(share);  // with the bias, which is left out
    const std::size_t end = std::min(own.end, layer.in);
    if (own.begin < end)
      kernels::transpose(weights_.data() + layer.offset + own.begin * layer.stride, end - own.begin,
                         layer.out, layer.stride, transposed_[l - 1].data() + own.begin,
                         row_stride(layer.in));
  }
}

}  // namespace uaspl
