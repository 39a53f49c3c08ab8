// One unit of an experiment, see experiment.hpp.
#include "uaspl/run/experiment.hpp"

#include <algorithm>
#include <chrono>

#include "uaspl/data/encode.hpp"

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

}  // namespace

PreparedRun::PreparedRun(const Dataset& data, std::uint32_t seed, const ExperimentOptions& options,
                         Observer* observer)
    : dataset_(data.name),
      seed_(seed),
      training_(options.training),
      split_(train_test_split(data.rows(), options.test_fraction, seed)),
      train_labels_(labels_of(data, split_.train)),
      test_labels_(labels_of(data, split_.test)),
      classes_(static_cast<std::size_t>(std::ranges::max(train_labels_)) + 1) {
  training_.seed = seed;
  std::vector<bool> seen(static_cast<std::size_t>(std::ranges::max(data.labels)) + 1);
  for (const int label : train_labels_) seen[static_cast<std::size_t>(label)] = true;
  unseen_rows_ = static_cast<std::size_t>(std::ranges::count_if(
      test_labels_, [&](int label) { return !seen[static_cast<std::size_t>(label)]; }));
  const Scaler scaler = fit_scaler(data.features, split_.train);
  auto inputs = std::make_shared<const Matrix>(standardise(data.features, scaler));
  const MlpShape shape{.inputs = inputs->cols(), .hidden = options.hidden, .classes = classes_};
  const auto start = Clock::now();
  auto workers = options.threads > 1 ? std::make_shared<Workers>(options.threads) : nullptr;
  network_ = std::make_unique<Mlp>(std::move(inputs), shape, seed, std::move(workers));
  history_ = pretrain(*network_, training_set(), options.pretraining, training_, observer).history;
  pretraining_seconds_ = seconds_since(start);
}

RunResult PreparedRun::run(const ChosenMethod& chosen, Observer* observer) const {
  const auto start = Clock::now();
  const auto network = network_->clone();
  const auto method = chosen.make();
  check_needs(method->needs(), *network, split_.train.size(), chosen.info->name);
  RunResult result;
  result.dataset = dataset_;
  result.method = chosen.info->name;
  result.seed = seed_;
  result.unseen_rows = unseen_rows_;
  result.report = fit(*network, *method, training_set(), training_, observer);
  result.metrics = test(*network);
  result.seconds = pretraining_seconds_ + seconds_since(start);
  return result;
}

Metrics PreparedRun::test(const Network& network) const {
  return score(test_labels_, predicted_classes(network.logits({split_.test})));
}

}  // namespace uaspl
