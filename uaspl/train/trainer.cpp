// The training loop, see trainer.hpp.
#include "uaspl/train/trainer.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>

#include "uaspl/base/clock.hpp"
#include "uaspl/base/error.hpp"
#include "uaspl/loss/cross_entropy.hpp"
#include "uaspl/method/pace.hpp"
#include "uaspl/train/meta_split.hpp"
#include "uaspl/train/passes.hpp"
#include "uaspl/train/resume.hpp"

namespace uaspl {
namespace {

Stage stage_of(const Training& training, int index) {
  return {index, training.stages, stage_share(index, training.first_share, training.share_step),
          passes_of_stage(training, index), training.naive_cross_entropy};
}

// Finds the positions whose logits give no evidence at all; only relu evidence can be exactly zero.
std::vector<bool> dead_rows(const Probe& probe, const Loss& loss) {
  std::vector<bool> dead(probe.rows());
  if (loss.evidence() != Evidence::kRelu) return dead;
  for (std::size_t i = 0; i < dead.size(); ++i)
    dead[i] = std::ranges::all_of(probe.logits().row(i), [](float o) { return o <= 0.0F; });
  return dead;
}

std::size_t count_stuck(const StageRows& chosen, const std::vector<bool>& before,
                        const std::vector<bool>& after) {
  return static_cast<std::size_t>(std::ranges::count_if(chosen.rows, [&](int row) {
    return before[static_cast<std::size_t>(row)] && after[static_cast<std::size_t>(row)];
  }));
}

struct StageOutcome {
  StageTrace trace;
  bool diverged = false;
  bool stopped = false;
};

// Trains one stage until its passes are done, its loss is small, the method ends it, or the
// observer stops it.
StageOutcome run_stage(const Fit& fit, Passes& passes, const Stage& stage, int limit,
                       double stop_below) {
  StageOutcome outcome;
  outcome.trace.stage = stage.index;
  std::vector<double> losses;
  for (int pass = 0; pass < limit; ++pass) {
    const std::optional<double> mean = passes.run(pass);
    if (!mean) {
      outcome.stopped = true;
      break;
    }
    if (pass == 0) outcome.trace.first_loss = *mean;
    outcome.trace.last_loss = *mean;
    outcome.trace.passes = pass + 1;
    if (!std::isfinite(*mean)) outcome.diverged = true;
    if (fit.observer) fit.observer->on_pass(stage.index, pass, *mean);
    losses.push_back(*mean);
    if (*mean < stop_below || fit.method.ends_stage(stage, losses)) break;
  }
  return outcome;
}

int passes_of(const FitReport& report) {
  int sum = 0;
  for (const StageTrace& stage : report.stages) sum += stage.passes;
  return sum;
}

// Returns how many passes a stage may make.
int most_passes(const Fit& fit, const Stage& stage, const FitReport& report) {
  const Training& training = fit.training;
  if (fit.method.needs().network.constant) return 0;
  if (!fit.method.paces_itself()) return stage.passes;
  const int left = passes_of_stages(training) - passes_of(report);
  return std::clamp(fit.method.most_passes(stage, left), 1, left);
}

bool goes_on(const Fit& fit, const FitReport& report) {
  const Training& training = fit.training;
  if (report.stopped) return false;
  if (!fit.method.paces_itself()) return std::cmp_less(report.stages.size(), training.stages);
  const bool whole = !report.stages.empty() && report.stages.back().selected == fit.set.rows.size();
  return !whole && passes_of(report) < passes_of_stages(training);
}

// Trains a stage and reports it. Returns a probe of the network at its end, which is also the
// beginning of the next stage.
Probe add_stage(const Fit& fit, const Stage& stage, const Probe& before, FitReport& report) {
  const StageRows chosen = fit.method.begin_stage(stage, before);
  const Loss loss = fit.method.loss(stage);
  const std::vector<bool> dead = dead_rows(before, loss);
  if (fit.observer) fit.observer->on_stage_start(stage, before, chosen);

  Passes passes(fit, chosen, loss, stage, passes_of(report));
  StageOutcome outcome =
      run_stage(fit, passes, stage, most_passes(fit, stage, report), fit.training.stop_below);
  outcome.trace.selected = chosen.rows.size();
  outcome.trace.dead = static_cast<std::size_t>(std::ranges::count(dead, true));
  Probe after = fit.probe_before(stage.index + 1);
  if (outcome.trace.dead > 0 && !outcome.stopped)
    outcome.trace.stuck = count_stuck(chosen, dead, dead_rows(after, loss));
  report.diverged = report.diverged || outcome.diverged;
  report.stopped = outcome.stopped;
  report.stages.push_back(outcome.trace);
  if (fit.observer && !outcome.stopped) fit.observer->on_stage_end(outcome.trace, after);
  return after;
}

// The method of the pre-training: a stage with all rows, which records the predictions.
class BurnIn final : public Method {
 public:
  explicit BurnIn(std::size_t rows) : history_(rows) {}
  const PredictionHistory& history() const { return history_; }

  Loss loss(const Stage& stage) const override {
    return stage.naive_cross_entropy ? naive_cross_entropy() : cross_entropy();
  }
  StageRows begin_stage(const Stage&, const Probe& probe) override {
    StageRows chosen{std::vector<int>(probe.rows()), std::vector<float>(probe.rows(), 1.0F)};
    std::iota(chosen.rows.begin(), chosen.rows.end(), 0);
    return chosen;
  }
  void after_step(const Visit& visit, const Probe& probe, const Matrix& logits) override {
    history_.add(visit.positions, logits, probe.labels());
  }

 private:
  PredictionHistory history_;
};

}  // namespace

int passes_of_stage(const Training& training, int stage) {
  if (training.stage_passes.empty()) return training.passes;
  const auto last = training.stage_passes.size() - 1;  // of methods that make more stages
  return training.stage_passes[std::min(static_cast<std::size_t>(stage), last)];
}

int passes_of_stages(const Training& training) {
  int sum = 0;
  for (int stage = 0; stage < training.stages; ++stage) sum += passes_of_stage(training, stage);
  return sum;
}

void check_needs(const Needs& needs, const Network& network, std::size_t rows,
                 std::string_view method) {
  const auto missing = ability_names(missing_abilities(needs.network, network.abilities()));
  if (!missing.empty())
    throw Error(fmt::format("{} needs a network with {}, which this network lacks", method,
                            fmt::join(missing, ", ")));
  const auto apart = std::ceil(needs.meta_fraction * static_cast<double>(rows));
  if (needs.meta_fraction > 0.0 && static_cast<double>(rows) - apart < 1.0)
    throw Error(fmt::format("{} keeps {} of {} training rows apart, which leaves none", method,
                            apart, rows));
}

double planned_visits(const Training& training, const Method& method, std::size_t rows) {
  if (method.needs().network.constant) return 0.0;
  double visits = 0.0;
  for (int t = 0; t < training.stages; ++t) {
    const Stage stage = stage_of(training, t);
    visits += (method.take() == Selection::kAll ? 1.0 : method.share(stage)) * stage.passes;
  }
  return visits * static_cast<double>(rows);
}

Pretraining pretrain(Network& network, const TrainingSet& set, int passes, const Training& training,
                     Observer* observer, const CheckpointFile* checkpoint) {
  if (checkpoint)
    if (auto kept = load_pretraining(*checkpoint, network, set.rows.size()))
      return *std::move(kept);
  const auto began = Clock::now();
  BurnIn method(set.rows.size());
  const Fit whole{network, method, set, training, observer};
  const Stage stage{-1, training.stages, 1.0, passes, training.naive_cross_entropy};
  const StageRows chosen = method.begin_stage(stage, whole.probe_before(-1));
  const Loss loss = method.loss(stage);
  Passes run(whole, chosen, loss, stage);
  const bool stopped = run_stage(whole, run, stage, passes, 0.0).stopped;
  Pretraining result{method.history(), stopped, seconds_since(began)};
  if (checkpoint && !stopped)
    save_pretraining(result, network, training.carry_momentum, *checkpoint);
  return result;
}

FitReport fit(Network& network, Method& method, const TrainingSet& set, const Training& training,
              Observer* observer, const CheckpointFile* checkpoint) {
  Needs needs = method.needs();
  if (!set.meta_rows.empty()) needs.meta_fraction = 0.0;
  check_needs(needs, network, set.rows.size());
  Memo memo;  // used if the caller shares none
  const MetaSplit split(set, needs.meta_fraction, training.meta_of_class, training.seed);
  TrainingSet rows = split.set();
  if (!rows.memo) rows.memo = &memo;
  const Fit whole{network, method, rows, training, observer};
  if (observer) observer->on_start(network, method);
  const auto began = Clock::now();
  FitReport report;
  int stage = checkpoint ? resume(whole, *checkpoint, report) : 0;
  if (needs.network.constant && stage == 0)
    network.answer_always(method.constant_logits(whole.probe_before(0)));
  const double earlier = report.seconds;
  std::optional<Probe> now(whole.probe_before(stage));
  for (; goes_on(whole, report); ++stage) {
    const std::optional<Probe> before = std::exchange(now, std::nullopt);
    now.emplace(add_stage(whole, stage_of(training, stage), *before, report));
    report.seconds = earlier + seconds_since(began);
    if (checkpoint && !report.stopped)
      checkpoint->write(standing(whole, stage + 1, report, set.pretraining));
  }
  if (report.stopped) return report;
  // Losses are those before an update, so the effect of the last update only shows in the logits.
  const auto finite = [](float o) { return std::isfinite(o); };
  report.diverged = report.diverged || !std::ranges::all_of(now->logits().values(), finite);
  if (!report.stages.empty()) {
    const StageTrace& last = report.stages.back();
    report.stalled =
        static_cast<double>(last.stuck) > kStalledShare * static_cast<double>(last.selected);
  }
  report.seconds = earlier + seconds_since(began);
  return report;
}

}  // namespace uaspl
