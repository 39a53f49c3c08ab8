// The training loop, see trainer.hpp.
#include "uaspl/train/trainer.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "uaspl/base/rng.hpp"
#include "uaspl/loss/cross_entropy.hpp"
#include "uaspl/method/pace.hpp"

namespace uaspl {
namespace {

// The rows of a stage as the network, the loss and the mean need them.
struct Selected {
  std::vector<int> rows;
  std::vector<int> labels;
  std::vector<float> weights;

  Selected(const TrainingSet& set, const Plan& plan) : weights(plan.weights) {
    for (const int position : plan.rows) {
      rows.push_back(set.rows[static_cast<std::size_t>(position)]);
      labels.push_back(set.labels[static_cast<std::size_t>(position)]);
    }
  }
  std::size_t size() const { return rows.size(); }
};

// One update; returns the sum of weight * loss before it. The mean divides by the number of rows,
// not by the sum of their weights: this line is the only place that decides it.
double update(Network& network, const Selected& batch, const Loss& loss, const Step& step) {
  std::vector<float> values(batch.size());
  const auto count = static_cast<float>(batch.size());
  network.update({batch.rows}, step, [&](std::size_t first, const Matrix& logits, Matrix& dlogits) {
    const std::size_t rows = logits.rows();
    loss(logits, std::span(batch.labels).subspan(first, rows),
         std::span(values).subspan(first, rows), &dlogits);
    for (std::size_t i = 0; i < rows; ++i)
      for (float& g : dlogits.row(i)) g *= batch.weights[first + i] / count;
  });
  double sum = 0.0;
  for (std::size_t i = 0; i < values.size(); ++i)
    sum += static_cast<double>(batch.weights[i]) * static_cast<double>(values[i]);
  return sum;
}

// Passes over the rows of one stage.
class Passes {
 public:
  Passes(Network& network, const Selected& selected, const Loss& loss, const Training& training,
         int stage)
      : network_(network), selected_(selected), loss_(loss), training_(training), stage_(stage) {}

  // Returns the mean loss before the updates of this pass.
  double run(int pass) {
    const std::size_t n = selected_.size();
    const std::size_t size = training_.batch == 0 ? n : training_.batch;
    if (size >= n)
      return update(network_, selected_, loss_, step(pass, 0)) / static_cast<double>(n);
    std::vector<int> order(n);
    std::iota(order.begin(), order.end(), 0);
    Stream(training_.seed, "shuffle", stage_key(), static_cast<std::uint64_t>(pass)).shuffle(order);
    double sum = 0.0;
    for (std::size_t first = 0; first < n; first += size) {
      const auto part = std::span(order).subspan(first, std::min(size, n - first));
      sum += update(network_, gather(part), loss_, step(pass, first));
    }
    return sum / static_cast<double>(n);
  }

 private:
  std::uint64_t stage_key() const { return static_cast<std::uint64_t>(stage_ + 1); }

  Step step(int pass, std::size_t first) const {
    Step step = training_.step;
    if (step.dropout > 0.0F)
      step.seed =
          Stream(training_.seed, "masks", stage_key(), static_cast<std::uint64_t>(pass)).word() +
          first;
    return step;
  }

  Selected gather(std::span<const int> order) const {
    Selected batch({}, {});
    for (const int i : order) {
      const auto at = static_cast<std::size_t>(i);
      batch.rows.push_back(selected_.rows[at]);
      batch.labels.push_back(selected_.labels[at]);
      batch.weights.push_back(selected_.weights[at]);
    }
    return batch;
  }

  Network& network_;
  const Selected& selected_;
  const Loss& loss_;
  const Training& training_;
  int stage_;
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

}  // namespace

bool pretrain(Network& network, const TrainingSet& set, int passes, const Training& training,
              Observer* observer) {
  Plan plan{std::vector<int>(set.rows.size()), std::vector<float>(set.rows.size(), 1.0F)};
  std::iota(plan.rows.begin(), plan.rows.end(), 0);
  const Selected selected(set, plan);
  const Loss loss = cross_entropy();
  Passes run(network, selected, loss, training, -1);
  return !run_stage(run, -1, passes, 0.0, observer).stopped;
}

FitReport fit(Network& network, Method& method, const TrainingSet& set, const Training& training,
              Observer* observer) {
  FitReport report;
  for (int t = 0; t < training.stages && !report.stopped; ++t) {
    const Stage stage{t, training.stages,
                      stage_share(t, training.first_share, training.share_step)};
    const Probe before(network, set);
    const Plan plan = method.begin_stage(stage, before);
    const Loss loss = method.loss(stage);
    const std::vector<bool> dead = dead_rows(before, loss);
    if (observer) observer->on_stage_start(stage, before, plan);

    const Selected selected(set, plan);
    Passes passes(network, selected, loss, training, t);
    StageOutcome outcome = run_stage(passes, t, training.passes, training.stop_below, observer);
    outcome.trace.selected = plan.rows.size();
    outcome.trace.dead = static_cast<std::size_t>(std::ranges::count(dead, true));
    if (outcome.trace.dead > 0)
      outcome.trace.stuck = count_stuck(plan, dead, dead_rows(Probe(network, set), loss));
    report.diverged = report.diverged || outcome.diverged;
    report.stopped = outcome.stopped;
    report.stages.push_back(outcome.trace);
    if (observer) observer->on_stage_end(outcome.trace);
  }
  // Losses are those before an update: the last one is seen in the logits only.
  const Matrix logits = network.logits({set.rows});
  const auto finite = [](float o) { return std::isfinite(o); };
  report.diverged = report.diverged || !std::ranges::all_of(logits.values(), finite);
  if (!report.stages.empty()) {
    const StageTrace& last = report.stages.back();
    report.stalled =
        static_cast<double>(last.stuck) > kStalledShare * static_cast<double>(last.selected);
  }
  return report;
}

}  // namespace uaspl
