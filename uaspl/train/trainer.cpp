// The training loop, see trainer.hpp.
#include "uaspl/train/trainer.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "uaspl/base/error.hpp"
#include "uaspl/base/rng.hpp"
#include "uaspl/loss/cross_entropy.hpp"
#include "uaspl/method/pace.hpp"
#include "uaspl/train/meta_split.hpp"

namespace uaspl {
namespace {

// What stays the same in a whole fit.
struct Fit {
  Network& network;
  Method& method;
  const TrainingSet& set;
  const Training& training;
  Observer* observer;

  Probe probe() const { return {network, set, training.seed}; }
};

// Passes over the rows of one stage.
class Passes {
 public:
  Passes(const Fit& fit, const Plan& plan, const Loss& loss, int stage)
      : fit_(fit), plan_(plan), loss_(loss), stage_(stage) {}

  // Returns the mean loss before the updates of this pass.
  double run(int pass) {
    const std::size_t n = plan_.rows.size();
    const std::size_t size = fit_.training.batch == 0 ? n : fit_.training.batch;
    if (size >= n) return update(plan_.rows, plan_.weights, step(pass, 0)) / static_cast<double>(n);
    std::vector<int> order(n);
    std::iota(order.begin(), order.end(), 0);
    Stream(fit_.training.seed, "shuffle", stage_key(), static_cast<std::uint64_t>(pass))
        .shuffle(order);
    double sum = 0.0;
    for (std::size_t first = 0; first < n; first += size) {
      std::vector<int> positions;
      std::vector<float> weights;
      for (const int i : std::span(order).subspan(first, std::min(size, n - first))) {
        positions.push_back(plan_.rows[static_cast<std::size_t>(i)]);
        weights.push_back(plan_.weights[static_cast<std::size_t>(i)]);
      }
      sum += update(positions, std::move(weights), step(pass, first));
    }
    return sum / static_cast<double>(n);
  }

 private:
  std::uint64_t stage_key() const { return static_cast<std::uint64_t>(stage_ + 1); }

  Step step(int pass, std::size_t first) const {
    const std::uint64_t seed = fit_.training.seed;
    Step step = fit_.training.step;
    step.dropout = std::max(step.dropout, plan_.dropout);
    if (step.dropout > 0.0F)
      step.seed =
          Stream(seed, "masks", stage_key(), static_cast<std::uint64_t>(pass)).word() + first;
    return step;
  }

  // One update; returns the sum of weight * loss before it. The mean divides by the number of rows,
  // not by the sum of their weights: this is the only place that decides it.
  double update(std::span<const int> positions, std::vector<float> weights, const Step& step) {
    const std::size_t n = positions.size();
    const Visit visit{positions, step};
    fit_.method.weigh(visit, fit_.probe(), weights);
    if (fit_.observer) fit_.observer->on_step(visit, weights);
    gather(positions);
    losses_.resize(n);
    logits_.resize(n, fit_.set.classes);
    const auto count = static_cast<float>(n);
    fit_.network.update({rows_}, step,
                        [&](std::size_t first, const Matrix& logits, Matrix& dlogits) {
                          const std::size_t rows = logits.rows();
                          loss_(logits, std::span(labels_).subspan(first, rows),
                                std::span(losses_).subspan(first, rows), &dlogits);
                          for (std::size_t i = 0; i < rows; ++i)
                            for (float& g : dlogits.row(i)) g *= weights[first + i] / count;
                          std::ranges::copy(logits.values(), logits_.row(first).data());
                        });
    fit_.method.after_step(visit, fit_.probe(), logits_);
    double sum = 0.0;
    for (std::size_t i = 0; i < n; ++i)
      sum += static_cast<double>(weights[i]) * static_cast<double>(losses_[i]);
    return sum;
  }

  void gather(std::span<const int> positions) {
    rows_.resize(positions.size());
    labels_.resize(positions.size());
    for (std::size_t i = 0; i < positions.size(); ++i) {
      rows_[i] = fit_.set.rows[static_cast<std::size_t>(positions[i])];
      labels_[i] = fit_.set.labels[static_cast<std::size_t>(positions[i])];
    }
  }

  const Fit& fit_;
  const Plan& plan_;
  const Loss& loss_;
  int stage_;
  std::vector<int> rows_;  // of the present step, as the network and the loss need them
  std::vector<int> labels_;
  std::vector<float> losses_;
  Matrix logits_;
};

// Positions whose logits give no evidence at all; only relu evidence can be exactly zero.
std::vector<bool> dead_rows(const Probe& probe, const Loss& loss) {
  std::vector<bool> dead(probe.rows());
  if (loss.evidence() != Evidence::kRelu) return dead;
  for (std::size_t i = 0; i < dead.size(); ++i)
    dead[i] = std::ranges::all_of(probe.logits().row(i), [](float o) { return o <= 0.0F; });
  return dead;
}

std::size_t count_stuck(const Plan& plan, const std::vector<bool>& before,
                        const std::vector<bool>& after) {
  return static_cast<std::size_t>(std::ranges::count_if(plan.rows, [&](int row) {
    return before[static_cast<std::size_t>(row)] && after[static_cast<std::size_t>(row)];
  }));
}

struct StageOutcome {
  StageTrace trace;
  bool diverged = false;
  bool stopped = false;
};

// Trains one stage until its passes are done, its loss is small, or the observer stops it.
StageOutcome run_stage(Passes& passes, int stage, int limit, double stop_below,
                       Observer* observer) {
  StageOutcome outcome;
  outcome.trace.stage = stage;
  for (int pass = 0; pass < limit; ++pass) {
    if (observer && observer->stop()) {
      outcome.stopped = true;
      break;
    }
    const double mean = passes.run(pass);
    if (pass == 0) outcome.trace.first_loss = mean;
    outcome.trace.last_loss = mean;
    outcome.trace.passes = pass + 1;
    if (!std::isfinite(mean)) outcome.diverged = true;
    if (observer) observer->on_pass(stage, pass, mean);
    if (mean < stop_below) break;
  }
  return outcome;
}

// Returns what the network is like when the stage ends, which is when the next one begins.
Probe add_stage(const Fit& fit, const Stage& stage, const Probe& before, FitReport& report) {
  const Plan plan = fit.method.begin_stage(stage, before);
  const Loss loss = fit.method.loss(stage);
  const std::vector<bool> dead = dead_rows(before, loss);
  if (fit.observer) fit.observer->on_stage_start(stage, before, plan);

  Passes passes(fit, plan, loss, stage.index);
  StageOutcome outcome =
      run_stage(passes, stage.index, fit.training.passes, fit.training.stop_below, fit.observer);
  outcome.trace.selected = plan.rows.size();
  outcome.trace.dead = static_cast<std::size_t>(std::ranges::count(dead, true));
  Probe after = fit.probe();
  if (outcome.trace.dead > 0) outcome.trace.stuck = count_stuck(plan, dead, dead_rows(after, loss));
  report.diverged = report.diverged || outcome.diverged;
  report.stopped = outcome.stopped;
  report.stages.push_back(outcome.trace);
  if (fit.observer) fit.observer->on_stage_end(outcome.trace, after);
  return after;
}

// Pre-training is a stage with all rows that remembers what it saw.
class BurnIn final : public Method {
 public:
  explicit BurnIn(std::size_t rows) : history_(rows) {}
  const PredictionHistory& history() const { return history_; }

  Loss loss(const Stage&) const override { return cross_entropy(); }
  Plan begin_stage(const Stage&, const Probe& probe) override {
    Plan plan{std::vector<int>(probe.rows()), std::vector<float>(probe.rows(), 1.0F)};
    std::iota(plan.rows.begin(), plan.rows.end(), 0);
    return plan;
  }
  void after_step(const Visit& visit, const Probe& probe, const Matrix& logits) override {
    history_.add(visit.positions, logits, probe.labels());
  }

 private:
  PredictionHistory history_;
};

}  // namespace

void check_needs(const Needs& needs, const Network& network, std::size_t rows,
                 std::string_view method) {
  const auto missing = ability_names(missing_abilities(needs.network, network.abilities()));
  if (!missing.empty())
    throw Error(fmt::format("{} needs a network with {}, which this one has not", method,
                            fmt::join(missing, ", ")));
  const auto apart = std::ceil(needs.meta_fraction * static_cast<double>(rows));
  if (needs.meta_fraction > 0.0 && static_cast<double>(rows) - apart < 1.0)
    throw Error(fmt::format("{} keeps {} of {} training rows apart, which leaves none", method,
                            apart, rows));
}

Pretraining pretrain(Network& network, const TrainingSet& set, int passes, const Training& training,
                     Observer* observer) {
  BurnIn method(set.rows.size());
  const Fit whole{network, method, set, training, observer};
  const Stage stage{-1, training.stages, 1.0};
  const Plan plan = method.begin_stage(stage, whole.probe());
  const Loss loss = method.loss(stage);
  Passes run(whole, plan, loss, -1);
  const bool stopped = run_stage(run, -1, passes, 0.0, observer).stopped;
  return {method.history(), stopped};
}

FitReport fit(Network& network, Method& method, const TrainingSet& set, const Training& training,
              Observer* observer) {
  Needs needs = method.needs();
  if (!set.meta_rows.empty()) needs.meta_fraction = 0.0;
  check_needs(needs, network, set.rows.size());
  Memo memo;  // where the caller shares none
  const MetaSplit split(set, needs.meta_fraction, training.seed);
  TrainingSet rows = split.set();
  if (!rows.memo) rows.memo = &memo;
  const Fit whole{network, method, rows, training, observer};
  FitReport report;
  std::optional<Probe> now(whole.probe());
  for (int t = 0; t < training.stages && !report.stopped; ++t) {
    const double share = stage_share(t, training.first_share, training.share_step);
    now.emplace(add_stage(whole, {t, training.stages, share}, Probe(*std::move(now)), report));
  }
  // Losses are those before an update: the last one is seen in the logits only.
  const auto finite = [](float o) { return std::isfinite(o); };
  report.diverged = report.diverged || !std::ranges::all_of(now->logits().values(), finite);
  if (!report.stages.empty()) {
    const StageTrace& last = report.stages.back();
    report.stalled =
        static_cast<double>(last.stuck) > kStalledShare * static_cast<double>(last.selected);
  }
  return report;
}

}  // namespace uaspl
