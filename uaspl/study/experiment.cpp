// One unit of an experiment, see experiment.hpp.
#include "uaspl/study/experiment.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <map>
#include <set>

#include "uaspl/base/clock.hpp"
#include "uaspl/base/error.hpp"
#include "uaspl/base/pick.hpp"
#include "uaspl/base/version.hpp"
#include "uaspl/io/sha256.hpp"
#include "uaspl/net/mlp/kernels.hpp"
#include "uaspl/study/recorder.hpp"

namespace uaspl {
namespace {

std::size_t count_unseen(std::span<const int> train, std::span<const int> test) {
  const std::set<int> seen(train.begin(), train.end());
  return static_cast<std::size_t>(
      std::ranges::count_if(test, [&](int label) { return !seen.contains(label); }));
}

// Returns how many rows the largest class has for one of the smallest.
double class_ratio(std::span<const int> labels) {
  std::map<int, std::size_t> counts;
  for (const int label : labels) ++counts[label];
  std::size_t fewest = labels.size();
  std::size_t most = 0;
  for (const auto& [label, count] : counts) {
    fewest = std::min(fewest, count);
    most = std::max(most, count);
  }
  return static_cast<double>(most) / static_cast<double>(fewest);
}

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[32];
  return {text, std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts)};
}

FitOptions with_seed(FitOptions options, std::uint32_t seed) {
  options.seed = seed;
  return options;
}

}  // namespace

std::optional<CheckpointFile> run_checkpoint(const RunKey& key, const ExperimentOptions& options) {
  if (options.checkpoints.empty()) return std::nullopt;
  const std::string text = run_text(key);
  const std::string dataset = std::filesystem::path(key.dataset).filename().string();
  return CheckpointFile(
      options.checkpoints / fmt::format("{}-{}-{}-{}.checkpoint", dataset, key.method, key.seed,
                                        sha256(text).substr(0, 12)),
      text);
}

PreparedRun::PreparedRun(const Dataset& data, std::uint32_t seed, const ExperimentOptions& options,
                         Observer* observer)
    : dataset_(dataset_id(data)),
      seed_(seed),
      options_(options),
      start_(data, split_rows(data, seed, options.rows), with_seed(options.fit, seed)) {
  const auto kept = run_checkpoint(pretraining_key(dataset_, options, seed), options);
  stopped_ = !start_.pretrain(observer, kept ? &*kept : nullptr);
}

std::optional<RunRecord> PreparedRun::run(const ChosenMethod& method, Observer* observer) const {
  if (stopped_) return std::nullopt;
  Recorder recorder([&](const Network& network) { return start_.test(network).accuracy; },
                    options_.trace, observer);
  const RunKey key = run_key(dataset_, method, options_, seed_);
  const auto kept = run_checkpoint(key, options_);
  const FittedNetwork fitted = start_.fit(method, &recorder, kept ? &*kept : nullptr);
  if (fitted.report.stopped) return std::nullopt;
  if (recorder.stages.size() != fitted.report.stages.size())
    throw Error("saved state: records of another number of stages");
  const auto tested = Clock::now();
  const TrainingRows& rows = start_.rows();
  const Matrix logits = start_.test_logits(*fitted.network);
  const Predictions predictions = read_out(logits, fitted.readout);
  // A run that ended without numbers is scored as in PyTorch: the first NaN is the largest logit.
  const std::vector<int> labels = predicted_classes(logits);
  RunRecord record{
      .key = key,
      .metrics = score(rows.test_labels, labels),
      .rows = start_.data().rows(),
      .classes = rows.classes,
      .unseen_rows = count_unseen(pick(start_.data().labels, rows.split.train), rows.test_labels),
      .diverged = fitted.report.diverged,
      .stalled = fitted.report.stalled,
      .stages = std::move(recorder.stages),
      .samples = std::move(recorder.samples),
      .traced = options_.trace,
      .version = version(),
      .commit = source_commit(),
      .target = kernels::target_name(),
      .finished = utc_now(),
      .calibration = calibration(rows.test_labels, predictions),
      .predicted_classes = count_classes(labels),
      .majority = majority_share(rows.test_labels),
      .class_ratio = class_ratio(start_.data().labels)};
  record.seconds = start_.pretraining_seconds() + fitted.report.seconds + seconds_since(tested);
  return record;
}

}  // namespace uaspl
