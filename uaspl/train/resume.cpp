// Checkpoints of a fit, see resume.hpp.
#include "uaspl/train/resume.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "uaspl/base/error.hpp"

namespace uaspl {
namespace {

// The names of the parts of a checkpoint.
const std::string kPretraining = "pretraining";
const std::string kMethod = "method";
const std::string kObserver = "observer";
const std::string kMemo = "memo";
const std::string kReport = "report";

const SavedState& part_of(const Checkpoint& kept, const std::string& name) {
  static const SavedState kNone;
  const auto found = kept.parts.find(name);
  return found == kept.parts.end() ? kNone : found->second;
}

void save_report(const FitReport& report, SavedState& numbers) {
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
  numbers.put("seconds", std::vector<double>{report.seconds});
}

FitReport load_report(const SavedState& numbers, int stages) {
  FitReport report;
  const DoubleMatrix& table = numbers.matrix("stages", static_cast<std::size_t>(stages), 7);
  for (std::size_t i = 0; i < table.rows(); ++i) {
    if (table(i, 0) != static_cast<double>(i))
      throw Error("saved state: 'stages' are not in their order");
    report.stages.push_back({.stage = SavedState::as<int>(table(i, 0)),
                             .selected = SavedState::as<std::size_t>(table(i, 1)),
                             .passes = SavedState::as<int>(table(i, 2)),
                             .first_loss = table(i, 3),
                             .last_loss = table(i, 4),
                             .dead = SavedState::as<std::size_t>(table(i, 5)),
                             .stuck = SavedState::as<std::size_t>(table(i, 6))});
  }
  report.diverged = numbers.count("diverged", 1) != 0;
  report.seconds = numbers.get<double>("seconds", 1).front();
  return report;
}

// Runs what reads a checkpoint; its errors name the file and say what to do.
template <typename Read>
auto with_name(const CheckpointFile& file, const Read& read) {
  try {
    return read();
  } catch (const Error& error) {
    throw Error(
        fmt::format("{}: {}; remove it to begin again", file.path().string(), error.what()));
  }
}

// Only training that diverged has weights that are not finite, and it says so.
void check_finite(const State& weights) {
  for (const auto& [name, tensor] : weights)
    if (!std::ranges::all_of(tensor.values, [](float x) { return std::isfinite(x); }))
      throw Error(fmt::format("weights that are not finite ({})", name));
}

}  // namespace

void save_pretraining(const Pretraining& pretraining, const Network& network, bool with_momentum,
                      const CheckpointFile& file) {
  Checkpoint now{.weights = network.save()};
  if (with_momentum) now.momentum = network.save_momentum();
  pretraining.history.save(now.parts[kPretraining]);
  now.parts[kPretraining].put("seconds", std::vector<double>{pretraining.seconds});
  file.write(now);
}

std::optional<Pretraining> load_pretraining(const CheckpointFile& file, Network& network,
                                            std::size_t rows) {
  const std::optional<Checkpoint> kept = file.read();
  if (!kept) return std::nullopt;
  return with_name(file, [&] {
    if (kept->stages == 0) check_finite(kept->weights);
    network.load(kept->weights);
    Pretraining pretraining;
    pretraining.history.load(part_of(*kept, kPretraining), rows);
    if (kept->stages == 0) {  // later checkpoints hold the time and the momentum of the stages
      pretraining.seconds = part_of(*kept, kPretraining).get<double>("seconds", 1).front();
      network.load_momentum(kept->momentum);
    }
    return pretraining;
  });
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

// Returns the stage to go on with.
int resume(const Fit& fit, const CheckpointFile& file, FitReport& report) {
  const std::optional<Checkpoint> kept = file.read();
  if (!kept || kept->stages == 0) return 0;
  if (kept->stages > fit.training.stages && !fit.method.paces_itself())
    throw Error(fmt::format("{}: has {} stages, expected at most {}", file.path().string(),
                            kept->stages, fit.training.stages));
  return with_name(file, [&] {
    report = load_report(part_of(*kept, kReport), kept->stages);
    if (!report.diverged) check_finite(kept->weights);
    fit.network.load(kept->weights);
    fit.network.load_momentum(kept->momentum);
    fit.method.load(part_of(*kept, kMethod), fit.set.rows.size());
    if (fit.observer) fit.observer->load(part_of(*kept, kObserver));
    fit.set.memo->load(part_of(*kept, kMemo), fit.set.rows.size());
    return kept->stages;
  });
}

}  // namespace uaspl
