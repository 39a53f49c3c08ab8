// One unit of an experiment, see experiment.hpp.
#include "uaspl/study/experiment.hpp"

#include <fmt/format.h>

#include "uaspl/base/clock.hpp"
#include "uaspl/base/error.hpp"
#include "uaspl/base/pick.hpp"
#include "uaspl/base/version.hpp"
#include "uaspl/io/sha256.hpp"
#include "uaspl/model/predictor.hpp"
#include "uaspl/net/mlp/kernels.hpp"
#include "uaspl/study/predictions.hpp"
#include "uaspl/study/recorder.hpp"
#include "uaspl/study/run_facts.hpp"
#include "uaspl/train/learn.hpp"

namespace uaspl {
namespace {

FitOptions with_seed(FitOptions options, std::uint32_t seed) {
  options.seed = seed;
  return options;
}

}  // namespace

std::optional<CheckpointFile> run_checkpoint(const RunKey& key, const ExperimentOptions& options) {
  if (options.checkpoints.empty()) return std::nullopt;
  std::string text = run_text(key);
  // It has what was recorded so far.
  if (options.trace) text += " traced";
  if (options.curves) text += " passes";
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
  if (!method.info->has_stages()) return run_without_stages(method, observer);
  RecorderOptions watched{
      .test_accuracy = [&](const Network& network) { return start_.test(network).accuracy; },
      .trace = options_.trace};
  if (options_.curves)
    watched.judge_pass = [&](const Network& network, const Loss& loss) {
      const PreparedFit::Standing now = start_.standing(network, loss);
      return PassRecord{.train_loss = now.train_loss,
                        .train_accuracy = now.train_accuracy,
                        .test_loss = now.test_loss,
                        .test_accuracy = now.test_accuracy};
    };
  Recorder recorder(std::move(watched), observer);
  const RunKey key = run_key(dataset_, method, options_, seed_);
  const auto kept = run_checkpoint(key, options_);
  const FittedNetwork fitted = start_.fit(method, &recorder, kept ? &*kept : nullptr);
  if (fitted.report.stopped) return std::nullopt;
  if (recorder.stages.size() != fitted.report.stages.size())
    throw Error("saved state: records of another number of stages");
  const auto began = Clock::now();
  const Matrix logits = start_.test_logits(*fitted.network);
  const Predictions predictions = read_out(logits, fitted.readout);
  const double inference = seconds_since(began);
  // A run that ended without numbers is scored as in PyTorch: the first NaN is the largest logit.
  RunRecord record = record_of(method, predictions, predicted_classes(logits));
  record.diverged = fitted.report.diverged;
  record.stalled = fitted.report.stalled;
  record.stages = std::move(recorder.stages);
  record.samples = std::move(recorder.samples);
  record.passes = std::move(recorder.passes);
  record.inference_seconds = inference;
  record.seconds =
      start_.pretraining_seconds() + fitted.report.seconds + inference - recorder.judging_seconds;
  return record;
}

std::optional<RunRecord> PreparedRun::run_without_stages(const ChosenMethod& method,
                                                         Observer* observer) const {
  const FitOptions options = with_seed(options_.fit, seed_);
  const auto learned = learn(start_.data(), start_.rows(), method, options, observer);
  if (!learned) return std::nullopt;
  const auto began = Clock::now();
  const Predictor predictor(learned->model);
  const Predictions said = predictor.predict(start_.data(), start_.rows().split.test);
  RunRecord record = record_of(method, said, said.labels);
  record.inference_seconds = seconds_since(began);
  record.seconds = learned->seconds + record.inference_seconds;
  return record;
}

// All that the predictions of the test rows and the data say of a run.
RunRecord PreparedRun::record_of(const ChosenMethod& method, const Predictions& predictions,
                                 std::span<const int> labels) const {
  const TrainingRows& rows = start_.rows();
  RunRecord record{
      .key = run_key(dataset_, method, options_, seed_),
      .metrics = score(rows.test_labels, labels, start_.test_weights()),
      .rows = start_.data().rows(),
      .classes = rows.classes,
      .unseen_rows = count_unseen(pick(start_.data().labels, rows.split.train), rows.test_labels),
      .stages = {},
      .samples = {},
      .passes = {},
      .parts = options_.parts(),
      .version = version(),
      .commit = source_commit(),
      .target = kernels::target_name(),
      .finished = utc_now(),
      .calibration = calibration(rows.test_labels, predictions, start_.test_weights()),
      .predicted_classes = count_classes(labels),
      .majority = majority_share(rows.test_labels, start_.test_weights()),
      .class_ratio = class_ratio(start_.data().labels)};
  if (options_.keep_predictions) {
    record.predictions = prediction_records(rows.split.test, rows.test_labels, predictions);
    record.class_names = class_list(start_.data().target.classes);
  }
  return record;
}

}  // namespace uaspl
