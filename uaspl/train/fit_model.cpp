// Fits networks, see fit_model.hpp.
#include "uaspl/train/fit_model.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "uaspl/base/error.hpp"
#include "uaspl/base/text.hpp"
#include "uaspl/base/version.hpp"
#include "uaspl/method/suitable.hpp"
#include "uaspl/model/predictor.hpp"
#include "uaspl/train/learn.hpp"
#include "uaspl/train/meta_split.hpp"
#include "uaspl/train/training_options.hpp"

namespace uaspl {
namespace {

// The options that every model file names; the others are named where they are changed.
constexpr std::string_view kAlwaysNamed[] = {"pretraining", "stages", "steps",   "batch",
                                             "rate",        "decay",  "momentum"};

// Describes method, options and training in words, for model files.
std::map<std::string, std::string> describe(const ChosenMethod& method, const FitOptions& options) {
  const Training& training = options.training;
  FitOptions usual;
  if (options.for_images()) usual.training.stop_below = 0.0;
  std::map<std::string, std::string> text;
  for (const TrainingOption& option : training_options())
    if (std::ranges::find(kAlwaysNamed, option.name) != std::end(kAlwaysNamed) ||
        option.get(options) != option.get(usual))
      text.emplace(option.name, option.text(options));
  if (options.start) text["start"] = options.start->sha256;
  if (!training.rate_falls.empty())
    text["rate_falls"] = fmt::format("{}", fmt::join(training.rate_falls, " "));
  if (options.class_weights.any()) text["class_weight"] = options.class_weights.text();
  for (const Option& option : method.info->options)
    if (method.settings.is_written(option))
      text.emplace(fmt::format("{}.{}", method.info->name, option.name),
                   method.settings.text(option.name));
  return text;
}

const FitOptions& checked(const FitOptions& options) {
  check_options(options);
  return options;
}

}  // namespace

PreparedFit::PreparedFit(const Dataset& data, TrainingRows rows, const FitOptions& options)
    : data_(data),
      rows_(std::move(rows)),
      options_(checked(options)),
      encoder_(fit_encoder(data, rows_.split.train)),
      inputs_(encode(encoder_, data)),
      weights_(loss_weights(data, rows_.split.train, rows_.labels, options.class_weights)),
      test_weights_(weights_of_rows(data, rows_.split.test)),
      network_(make_network(options.network, encoder_, rows_.classes, options.seed,
                            options.resources, rows_.split.train.size())) {
  options_.training.seed = options.seed;
  options_.training.earlier_passes = options.pretraining;
  if (options.start) begin_with(*options.start, *network_);
}

void PreparedFit::check(const ChosenMethod& chosen) const {
  if (!chosen.info->has_stages()) return;  // they need nothing of a network
  const Needs needs = suited_to(chosen, data_).make()->needs();
  check_needs(needs, *network_, rows_.split.train.size(), chosen.info->name);
  // The split throws if meta rows are needed and cannot be kept apart.
  const TrainingSet set{&inputs_, rows_.split.train, rows_.labels, rows_.classes};
  MetaSplit(set, needs.meta_fraction, options_.training.meta_of_class, options_.seed);
}

bool PreparedFit::pretrain(Observer* observer, const CheckpointFile* checkpoint) {
  TrainingSet set{&inputs_, rows_.split.train, rows_.pretraining_labels, rows_.classes};
  const std::vector<float> weights = loss_weights(data_, rows_.split.train, set.labels,
                                                  options_.class_weights);  // of these labels
  set.weights = weights;
  pretraining_ = uaspl::pretrain(*network_, set, options_.pretraining, options_.training, observer,
                                 checkpoint);
  return !pretraining_.stopped;
}

FittedNetwork PreparedFit::fit(const ChosenMethod& chosen, Observer* observer,
                               const CheckpointFile* checkpoint) const {
  const auto method = suited_to(chosen, data_).make();
  check_needs(method->needs(), *network_, rows_.split.train.size(), chosen.info->name);
  FittedNetwork fitted{network_->clone(), {}, {}};
  const Training& training = options_.training;
  if (training.carry_momentum) fitted.network->load_momentum(network_->save_momentum());
  fitted.report =
      uaspl::fit(*fitted.network, *method, training_set(), training, observer, checkpoint);
  const Loss loss = method->loss({training.stages - 1, training.stages, 1.0, training.passes});
  fitted.readout = {loss.evidence(), loss.prior()};
  return fitted;
}

Model PreparedFit::model(const ChosenMethod& chosen, const FittedNetwork& fitted) const {
  Model model;
  model.target = data_.target;
  model.encoder = encoder_;
  model.members.push_back({options_.network, fitted.network->save()});
  model.readout = fitted.readout;
  model.method = chosen.info->name;
  model.configuration = describe(suited_to(chosen, data_), options_);
  if (!data_.is_images() && !data_.table().weight.empty())
    model.configuration["weight"] = data_.table().weight;
  model.seed = options_.seed;
  model.rows = rows_.split.train.size();
  model.data_sha256 = data_.is_images() ? content_sha256(data_) : data_.table().sha256;
  model.version = version();
  return model;
}

Metrics PreparedFit::test(const Network& network) const {
  return score(rows_.test_labels, predicted_classes(test_logits(network)), test_weights_);
}

PreparedFit::Standing PreparedFit::standing(const Network& network, const Loss& loss) const {
  const auto judge = [&](std::span<const int> rows, std::span<const int> labels) {
    const Matrix logits = network.logits({inputs_, rows});
    std::vector<float> losses(labels.size());
    loss(logits, labels, losses, nullptr);
    const std::vector<int> predicted = predicted_classes(logits);
    double right = 0.0;
    for (std::size_t i = 0; i < labels.size(); ++i) right += predicted[i] == labels[i] ? 1.0 : 0.0;
    const auto count = static_cast<double>(labels.size());
    return std::pair(std::accumulate(losses.begin(), losses.end(), 0.0) / count, right / count);
  };
  const auto [train_loss, train_accuracy] = judge(rows_.split.train, rows_.labels);
  const auto [test_loss, test_accuracy] = judge(rows_.split.test, rows_.test_labels);
  return {train_loss, train_accuracy, test_loss, test_accuracy};
}

Matrix PreparedFit::test_logits(const Network& network) const {
  return network.logits({inputs_, rows_.split.test});
}

Predictions PreparedFit::predict_test(const FittedNetwork& fitted) const {
  return read_out(test_logits(*fitted.network), fitted.readout);
}

Evaluation PreparedFit::evaluate(const Predictions& of_test_rows) const {
  return uaspl::evaluate(rows_.test_labels, of_test_rows, rows_.classes,
                         {.weights = test_weights_});
}

namespace {

FittedModel fit_without_stages(const Dataset& data, const TrainingRows& rows,
                               const ChosenMethod& method, const FitOptions& options,
                               Observer* observer) {
  FittedModel result;
  auto learned = learn(data, rows, method, options, observer);
  result.report.stopped = !learned;
  if (!learned) return result;
  result.model = std::move(learned->model);
  result.report.seconds = learned->seconds;
  result.out_of_fold = std::move(learned->out_of_fold);
  if (rows.split.test.empty()) return result;
  result.test_predictions = Predictor(result.model).predict(data, rows.split.test);
  result.test = evaluate(rows.test_labels, result.test_predictions, rows.classes,
                         {.weights = weights_of_rows(data, rows.split.test)});
  return result;
}

}  // namespace

FittedModel fit_model(const Dataset& data, TrainingRows rows, const ChosenMethod& method,
                      const FitOptions& options, Observer* observer,
                      const CheckpointFile* checkpoint) {
  if (!method.info->has_stages()) return fit_without_stages(data, rows, method, options, observer);
  PreparedFit start(data, std::move(rows), options);
  start.check(method);
  FittedModel result;
  if (!start.pretrain(observer, checkpoint)) {
    result.report.stopped = true;
    return result;
  }
  const FittedNetwork fitted = start.fit(method, observer, checkpoint);
  result.report = fitted.report;
  if (result.report.stopped) return result;
  result.model = start.model(method, fitted);
  if (start.rows().split.test.empty()) return result;
  result.test_predictions = start.predict_test(fitted);
  result.test = start.evaluate(result.test_predictions);
  return result;
}

void check_learnable(const Dataset& data) {
  const Target& target = data.target;
  if (std::ranges::any_of(data.labels, [](int label) { return label < 0; }))
    throw Error(
        fmt::format("{}: column '{}' has classes that are not known, so nothing can be "
                    "learned from their rows",
                    data.name, printable(target.name)));
  if (target.classes.size() < 2)
    throw Error(fmt::format("{}: column '{}' has only one class ('{}'), expected at least two",
                            data.name, printable(target.name),
                            target.classes.empty() ? "" : printable(target.classes.front())));
  if (target.classes.size() > kMostClasses)
    throw Error(fmt::format("{}: column '{}' has {} classes, expected at most {}; is it the class?",
                            data.name, printable(target.name), target.classes.size(),
                            kMostClasses));
  if (data.rows() < 2 * target.classes.size())
    throw Error(
        fmt::format("{}: column '{}' has {} classes in {} rows, expected two rows a class or more; "
                    "is it the class?",
                    data.name, printable(target.name), target.classes.size(), data.rows()));
}

PlannedRows planned_rows(const Dataset& data, const ChosenMethod& method, const FitOptions& options,
                         const RowOptions& conditions, std::uint32_t seed) {
  if (!method.info->has_stages()) return {0.0, 0.0};  // these say themselves how far they are
  const TrainingRows rows = split_rows(
      data, seed, {.test_fraction = conditions.test_fraction, .imbalance = conditions.imbalance});
  const auto made = method.make();
  const auto apart = meta_counts(rows.labels, rows.classes, made->needs().meta_fraction,
                                 options.training.meta_of_class);
  const std::size_t all = rows.labels.size();
  const std::size_t left = all - std::accumulate(apart.begin(), apart.end(), std::size_t{0});
  return {options.pretraining * static_cast<double>(all),
          planned_visits(options.training, *made, left)};
}

}  // namespace uaspl
