// One unit of an experiment, see experiment.hpp.
#include "uaspl/run/experiment.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <nlohmann/json.hpp>
#include <set>

#include "uaspl/base/sha256.hpp"
#include "uaspl/base/version.hpp"
#include "uaspl/data/encode.hpp"
#include "uaspl/run/recorder.hpp"

namespace uaspl {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

std::vector<int> labels_of(const Dataset& data, std::span<const int> rows) {
  std::vector<int> labels;
  labels.reserve(rows.size());
  for (const int row : rows) labels.push_back(data.labels[static_cast<std::size_t>(row)]);
  return labels;
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

}  // namespace

std::string configuration(const ChosenMethod& method, const ExperimentOptions& options) {
  const Training& training = options.training;
  // As short as it reads back: a rate of 0.1 is 0.1, whatever it is stored in.
  const auto number = [](auto value) { return nlohmann::json::parse(fmt::format("{}", value)); };
  nlohmann::json all = {{"batch", training.batch},
                        {"decay", number(training.step.decay)},
                        {"dropout", number(training.step.dropout)},
                        {"first_share", training.first_share},
                        {"hidden", options.hidden},
                        {"momentum", number(training.step.momentum)},
                        {"pretraining", options.pretraining},
                        {"rate", number(training.step.rate)},
                        {"share_step", training.share_step},
                        {"stages", training.stages},
                        {"steps", training.passes},
                        {"stop_below", training.stop_below},
                        {"test_fraction", options.test_fraction}};
  for (const Option& option : method.info->options)
    all["method"][std::string(option.name)] = method.settings.text(option.name);
  if (options.noise.ratio > 0.0)
    all["noise"] = {{"kind", noise_name(options.noise.kind)},
                    {"ratio", options.noise.ratio},
                    {"clean_pretraining", options.clean_pretraining}};
  return all.dump();
}

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

PreparedRun::PreparedRun(const Dataset& data, std::uint32_t seed, const ExperimentOptions& options,
                         Observer* observer)
    : data_(data),
      data_sha256_(content_sha256(data)),
      seed_(seed),
      options_(options),
      split_(train_test_split(data.rows(), options.test_fraction, seed)),
      train_labels_(labels_of(data, split_.train)),
      test_labels_(labels_of(data, split_.test)),
      classes_(static_cast<std::size_t>(std::ranges::max(train_labels_)) + 1) {
  options_.training.seed = seed;
  unseen_rows_ = count_unseen(train_labels_, test_labels_);
  const std::vector<int> clean = train_labels_;
  if (options.noise.ratio > 0.0)
    train_labels_ = noisy_labels(clean, classes_, options.noise.kind, options.noise.ratio, seed);
  const Scaler scaler = fit_scaler(data.features, split_.train);
  auto inputs = std::make_shared<const Matrix>(standardise(data.features, scaler));
  const MlpShape shape{.inputs = inputs->cols(), .hidden = options.hidden, .classes = classes_};
  const auto start = Clock::now();
  auto workers = options.threads > 1 ? std::make_shared<Workers>(options.threads) : nullptr;
  network_ = std::make_unique<Mlp>(std::move(inputs), shape, seed, std::move(workers));
  const std::span<const int> labels = options.clean_pretraining ? clean : train_labels_;
  history_ = pretrain(*network_, {split_.train, labels, classes_}, options.pretraining,
                      options_.training, observer)
                 .history;
  pretraining_seconds_ = seconds_since(start);
}

std::optional<RunRecord> PreparedRun::run(const ChosenMethod& chosen, Observer* observer) const {
  const auto start = Clock::now();
  const auto network = network_->clone();
  const auto method = chosen.make();
  check_needs(method->needs(), *network, split_.train.size(), chosen.info->name);
  Recorder recorder(
      *method, [&] { return test(*network).accuracy; }, options_.trace, observer);
  const FitReport report = fit(*network, *method, training_set(), options_.training, &recorder);
  if (report.stopped) return std::nullopt;
  RunRecord record{.key = {.dataset = data_.name,
                           .data_sha256 = data_sha256_,
                           .method = std::string(chosen.info->name),
                           .configuration = configuration(chosen, options_),
                           .seed = seed_},
                   .metrics = test(*network),
                   .rows = data_.rows(),
                   .classes = classes_,
                   .unseen_rows = unseen_rows_,
                   .diverged = report.diverged,
                   .stalled = report.stalled,
                   .stages = std::move(recorder.stages),
                   .samples = std::move(recorder.samples),
                   .traced = options_.trace,
                   .version = version(),
                   .commit = source_commit(),
                   .target = kernels::target_name(),
                   .finished = utc_now()};
  record.seconds = pretraining_seconds_ + seconds_since(start);
  return record;
}

Metrics PreparedRun::test(const Network& network) const {
  return score(test_labels_, predicted_classes(network.logits({split_.test})));
}

}  // namespace uaspl
