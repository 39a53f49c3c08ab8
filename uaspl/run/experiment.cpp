// One unit of an experiment, see experiment.hpp.
#include "uaspl/run/experiment.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <set>

#include "uaspl/base/sha256.hpp"
#include "uaspl/base/version.hpp"
#include "uaspl/net/kernels.hpp"
#include "uaspl/run/recorder.hpp"
#include "uaspl/run/store.hpp"

namespace uaspl {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

std::size_t count_unseen(std::span<const int> train, std::span<const int> test) {
  const std::set<int> seen(train.begin(), train.end());
  return static_cast<std::size_t>(
      std::ranges::count_if(test, [&](int label) { return !seen.contains(label); }));
}

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[32];
  return {text, std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts)};
}

// Stands for what all of them begin with.
ChosenMethod no_method() {
  static const MethodInfo kNone{"pretraining", "", "", {}, nullptr};
  return {&kNone, Settings({})};
}

}  // namespace

std::string content_sha256(const Dataset& data) {
  if (!data.content.empty()) return data.content;
  const auto bytes = [](const auto& values) {
    return std::string_view(reinterpret_cast<const char*>(values.data()),
                            values.size() * sizeof(values[0]));
  };
  std::string parts = sha256(bytes(data.features.values())) + sha256(bytes(data.labels));
  parts += fmt::format("{} x {}", data.features.rows(), data.features.cols());
  for (const std::string& name : data.schema.classes) parts += "\n" + name;
  return sha256(parts);
}

RunKey run_key(const Dataset& data, const ChosenMethod& method, const ExperimentOptions& options,
               std::uint32_t seed) {
  return {.dataset = data.name,
          .data_sha256 = content_sha256(data),
          .method = std::string(method.info->name),
          .configuration = configuration(suited(method, data.settings), options),
          .seed = seed};
}

PreparedRun::PreparedRun(const Dataset& data, std::uint32_t seed, const ExperimentOptions& options,
                         Observer* observer)
    : data_(data), seed_(seed), options_(options), start_(make_start(data, seed, options)) {
  options_.training.seed = seed;
  const auto began = Clock::now();
  const std::span<const int> labels =
      options.clean_pretraining ? start_.clean_labels : start_.labels;
  auto kept = checkpoint(run_key(data, no_method(), options, seed));
  Pretraining pretraining =
      pretrain(*start_.network, {start_.split.train, labels, start_.classes}, options.pretraining,
               options_.training, observer, kept ? &*kept : nullptr);
  history_ = std::move(pretraining.history);
  stopped_ = pretraining.stopped;
  pretraining_seconds_ = seconds_since(began);
}

// A file for what is not finished of a run; one more, without a method's options, for the
// pre-training.
std::optional<CheckpointFile> PreparedRun::checkpoint(const RunKey& key) const {
  if (options_.checkpoints.empty()) return std::nullopt;
  const std::string run = fmt::format("{} {} {} seed {} results {}", key.data_sha256, key.method,
                                      key.configuration, key.seed, kResultsVersion);
  const std::string dataset = std::filesystem::path(key.dataset).filename().string();
  const std::string name = fmt::format("{}-{}-{}-{}.checkpoint", dataset, key.method, key.seed,
                                       sha256(run).substr(0, 12));
  return CheckpointFile(options_.checkpoints / name, run);
}

std::optional<RunRecord> PreparedRun::run(const ChosenMethod& chosen, Observer* observer) const {
  if (stopped_) return std::nullopt;
  const auto began = Clock::now();
  const auto network = start_.network->clone();
  const auto method = suited(chosen, data_.settings).make();
  check_needs(method->needs(), *network, start_.split.train.size(), chosen.info->name);
  Recorder recorder(
      *method, [&] { return test(*network).accuracy; }, options_.trace, observer);
  const RunKey key = run_key(data_, chosen, options_, seed_);
  const auto kept = checkpoint(key);
  const FitReport report =
      fit(*network, *method, training_set(), options_.training, &recorder, kept ? &*kept : nullptr);
  if (report.stopped) return std::nullopt;
  RunRecord record{.key = key,
                   .metrics = test(*network),
                   .rows = data_.rows(),
                   .classes = start_.classes,
                   .unseen_rows = count_unseen(start_.clean_labels, start_.test_labels),
                   .diverged = report.diverged,
                   .stalled = report.stalled,
                   .stages = std::move(recorder.stages),
                   .samples = std::move(recorder.samples),
                   .traced = options_.trace,
                   .version = version(),
                   .commit = source_commit(),
                   .target = kernels::target_name(),
                   .finished = utc_now()};
  record.seconds = pretraining_seconds_ + seconds_since(began);
  return record;
}

void PreparedRun::drop_checkpoint(const ChosenMethod& method) const {
  if (const auto kept = checkpoint(run_key(data_, method, options_, seed_))) kept->remove();
}

void PreparedRun::drop_checkpoint() const { drop_checkpoint(no_method()); }

Metrics PreparedRun::test(const Network& network) const {
  return score(start_.test_labels, predicted_classes(network.logits({start_.split.test})));
}

}  // namespace uaspl
