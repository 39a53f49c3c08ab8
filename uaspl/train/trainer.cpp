// The training loop, see trainer.hpp.
#include "uaspl/train/trainer.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <optional>

#include "uaspl/base/error.hpp"
#include "uaspl/loss/cross_entropy.hpp"
#include "uaspl/method/pace.hpp"
#include "uaspl/train/checkpoint.hpp"
#include "uaspl/train/meta_split.hpp"
#include "uaspl/train/passes.hpp"

namespace uaspl {
namespace {

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
    const std::optional<double> mean = passes.run(pass);
    if (!mean) {
      outcome.stopped = true;
      break;
    }
    if (pass == 0) outcome.trace.first_loss = *mean;
    outcome.trace.last_loss = *mean;
    outcome.trace.passes = pass + 1;
    if (!std::isfinite(*mean)) outcome.diverged = true;
    if (observer) observer->on_pass(stage, pass, *mean);
    if (*mean < stop_below) break;
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
  Probe after = fit.probe_before(stage.index + 1);
  if (outcome.trace.dead > 0 && !outcome.stopped)
    outcome.trace.stuck = count_stuck(plan, dead, dead_rows(after, loss));
  report.diverged = report.diverged || outcome.diverged;
  report.stopped = outcome.stopped;
  report.stages.push_back(outcome.trace);
  if (fit.observer && !outcome.stopped) fit.observer->on_stage_end(outcome.trace, after);
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

// The parts of a checkpoint.
const std::string kPretraining = "pretraining";
const std::string kMethod = "method";
const std::string kObserver = "observer";
const std::string kMemo = "memo";
const std::string kReport = "report";

const Numbers& part_of(const Checkpoint& kept, const std::string& name) {
  static const Numbers kNone;
  const auto found = kept.parts.find(name);
  return found == kept.parts.end() ? kNone : found->second;
}

void save_report(const FitReport& report, Numbers& numbers) {
  DoubleMatrix table(report.stages.size(), 7);
  for (std::size_t i = 0; i < table.rows(); ++i) {
    const StageTrace& t = report.stages[i];
    std::ranges::copy(std::array{static_cast<double>(t.stage), static_cast<double>(t.selected),
                                 static_cast<double>(t.passes), t.first_loss, t.last_loss,
                                 static_cast<double>(t.dead), static_cast<double>(t.stuck)},
                      table.row(i).begin());
  }
  numbers.put("stages", std::move(table));
  numbers.put("diverged", std::vector<int>{report.diverged});
}

FitReport load_report(const Numbers& numbers) {
  FitReport report;
  const DoubleMatrix& table = numbers.matrix("stages");
  if (table.cols() != 7) throw Error("saved state: 'stages' has another shape");
  for (std::size_t i = 0; i < table.rows(); ++i)
    report.stages.push_back({.stage = static_cast<int>(table(i, 0)),
                             .selected = static_cast<std::size_t>(table(i, 1)),
                             .passes = static_cast<int>(table(i, 2)),
                             .first_loss = table(i, 3),
                             .last_loss = table(i, 4),
                             .dead = static_cast<std::size_t>(table(i, 5)),
                             .stuck = static_cast<std::size_t>(table(i, 6))});
  report.diverged = numbers.get<int>("diverged", 1).front() != 0;
  return report;
}

Checkpoint standing(const Fit& fit, int stages, const FitReport& report,
                    const PredictionHistory* pretraining) {
  Checkpoint now{
      .stages = stages, .weights = fit.network.save(), .momentum = fit.network.save_momentum()};
  if (pretraining) pretraining->save(now.parts[kPretraining]);
  fit.method.save(now.parts[kMethod]);
  if (fit.observer) fit.observer->save(now.parts[kObserver]);
  fit.set.memo->save(now.parts[kMemo]);
  save_report(report, now.parts[kReport]);
  return now;
}

// The stage to go on with.
int resume(const Fit& fit, const CheckpointFile& file, FitReport& report) {
  const std::optional<Checkpoint> kept = file.read();
  if (!kept || kept->stages == 0) return 0;
  if (kept->stages > fit.training.stages)
    throw Error(fmt::format("{}: has {} stages, expected at most {}", file.path().string(),
                            kept->stages, fit.training.stages));
  fit.network.load(kept->weights);
  fit.network.load_momentum(kept->momentum);
  fit.method.load(part_of(*kept, kMethod));
  if (fit.observer) fit.observer->load(part_of(*kept, kObserver));
  fit.set.memo->load(part_of(*kept, kMemo));
  report = load_report(part_of(*kept, kReport));
  return kept->stages;
}

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

double planned_visits(const Training& training, Take take, std::size_t rows) {
  double visits = 0.0;
  for (int t = 0; t < training.stages; ++t)
    visits += take == Take::kAll ? 1.0 : stage_share(t, training.first_share, training.share_step);
  return visits * training.passes * static_cast<double>(rows);
}

Pretraining pretrain(Network& network, const TrainingSet& set, int passes, const Training& training,
                     Observer* observer, const CheckpointFile* checkpoint) {
  if (checkpoint) {
    if (const auto kept = checkpoint->read()) {
      network.load(kept->weights);
      PredictionHistory history;
      history.load(part_of(*kept, kPretraining));
      if (history.rows() != set.rows.size()) throw Error("saved state: a history of other rows");
      return {std::move(history), false};
    }
  }
  BurnIn method(set.rows.size());
  const Fit whole{network, method, set, training, observer};
  const Stage stage{-1, training.stages, 1.0};
  const Plan plan = method.begin_stage(stage, whole.probe_before(-1));
  const Loss loss = method.loss(stage);
  Passes run(whole, plan, loss, -1);
  const bool stopped = run_stage(run, -1, passes, 0.0, observer).stopped;
  if (checkpoint && !stopped) {
    Checkpoint now{.weights = network.save()};
    method.history().save(now.parts[kPretraining]);
    checkpoint->write(now);
  }
  return {method.history(), stopped};
}

FitReport fit(Network& network, Method& method, const TrainingSet& set, const Training& training,
              Observer* observer, const CheckpointFile* checkpoint) {
  Needs needs = method.needs();
  if (!set.meta_rows.empty()) needs.meta_fraction = 0.0;
  check_needs(needs, network, set.rows.size());
  Memo memo;  // where the caller shares none
  const MetaSplit split(set, needs.meta_fraction, training.meta_of_class, training.seed);
  TrainingSet rows = split.set();
  if (!rows.memo) rows.memo = &memo;
  const Fit whole{network, method, rows, training, observer};
  FitReport report;
  int stage = checkpoint ? resume(whole, *checkpoint, report) : 0;
  std::optional<Probe> now(whole.probe_before(stage));
  for (; stage < training.stages && !report.stopped; ++stage) {
    const double share = stage_share(stage, training.first_share, training.share_step);
    now.emplace(add_stage(whole, {stage, training.stages, share}, Probe(*std::move(now)), report));
    if (checkpoint && !report.stopped)
      checkpoint->write(standing(whole, stage + 1, report, set.pretraining));
  }
  if (report.stopped) return report;
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
