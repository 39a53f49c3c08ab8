// One unit of an experiment, see experiment.hpp.
#include "uaspl/run/experiment.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <set>

#include "uaspl/base/clock.hpp"
#include "uaspl/base/sha256.hpp"
#include "uaspl/base/version.hpp"
#include "uaspl/net/kernels.hpp"
#include "uaspl/run/recorder.hpp"
#include "uaspl/run/store.hpp"

namespace uaspl {
namespace {

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

RunKey run_key(const Dataset& data, std::string content, const ChosenMethod& method,
               const ExperimentOptions& options, std::uint32_t seed) {
  return {.dataset = data.name,
          .data_sha256 = std::move(content),
          .method = std::string(method.info->name),
          .configuration = configuration(suited(method, data.settings), options),
          .seed = seed};
}

std::string run_text(const RunKey& key) {
  return fmt::format("{} {} {} seed {} results {}", key.data_sha256, key.method, key.configuration,
                     key.seed, kResultsVersion);
}

std::optional<CheckpointFile> run_checkpoint(const RunKey& key, const ExperimentOptions& options) {
  if (options.checkpoints.empty()) return std::nullopt;
  const std::string text = run_text(key);
  const std::string dataset = std::filesystem::path(key.dataset).filename().string();
  return CheckpointFile(
      options.checkpoints / fmt::format("{}-{}-{}-{}.checkpoint", dataset, key.method, key.seed,
                                        sha256(text).substr(0, 12)),
      text);
}

std::optional<CheckpointFile> pretraining_checkpoint(const RunKey& any_of_unit,
                                                     const ExperimentOptions& options) {
  RunKey key = any_of_unit;
  key.method = "pretraining";
  key.configuration = configuration({&find_method("direct"), Settings({})}, options);
  return run_checkpoint(key, options);
}

PreparedRun::PreparedRun(const Dataset& data, std::uint32_t seed, const ExperimentOptions& options,
                         Observer* observer)
    : data_(data),
      content_(content_sha256(data)),
      seed_(seed),
      options_(options),
      start_(make_start(data, seed, options)) {
  options_.training.seed = seed;
  const std::span<const int> labels =
      options.clean_pretraining ? start_.clean_labels : start_.labels;
  const auto kept = pretraining_checkpoint({.dataset = data.name,
                                            .data_sha256 = content_,
                                            .method = "",
                                            .configuration = "",
                                            .seed = seed},
                                           options);
  Pretraining pretraining =
      pretrain(*start_.network, {start_.split.train, labels, start_.classes}, options.pretraining,
               options_.training, observer, kept ? &*kept : nullptr);
  history_ = std::move(pretraining.history);
  stopped_ = pretraining.stopped;
  pretraining_seconds_ = pretraining.seconds;
}

std::optional<RunRecord> PreparedRun::run(const ChosenMethod& chosen, Observer* observer) const {
  if (stopped_) return std::nullopt;
  const auto network = start_.network->clone();
  const auto method = suited(chosen, data_.settings).make();
  check_needs(method->needs(), *network, start_.split.train.size(), chosen.info->name);
  Recorder recorder(
      *method, [&] { return test(*network).accuracy; }, options_.trace, observer);
  const RunKey key = run_key(data_, content_, chosen, options_, seed_);
  const auto kept = run_checkpoint(key, options_);
  const FitReport report =
      fit(*network, *method, training_set(), options_.training, &recorder, kept ? &*kept : nullptr);
  if (report.stopped) return std::nullopt;
  const auto tested = Clock::now();
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
  record.seconds = pretraining_seconds_ + report.seconds + seconds_since(tested);
  return record;
}

Metrics PreparedRun::test(const Network& network) const {
  return score(start_.test_labels, predicted_classes(network.logits({start_.split.test})));
}

}  // namespace uaspl
