// Trains a model for use, see train_model.hpp.
#include "uaspl/train/train_model.hpp"

#include <fmt/format.h>

#include <numeric>
#include <utility>

#include "uaspl/base/error.hpp"
#include "uaspl/base/pick.hpp"

namespace uaspl {
namespace {

// Holds out a part of each class for testing.
TrainingRows hold_out(const Dataset& data, double fraction, std::uint32_t seed) {
  Split split = stratified_split(data.labels, data.target.classes.size(), fraction, seed);
  if (split.test.empty())
    throw Error(fmt::format("{}: {} rows are too few to hold {} of them out; hold out none",
                            data.name, data.rows(), fraction));
  TrainingRows rows = rows_to_train_on(data, split.train);
  rows.test_labels = pick(data.labels, split.test);
  rows.split = std::move(split);
  return rows;
}

// The class that is looked for, if there are two.
std::optional<std::size_t> positive_class(const Dataset& data, const TrainOptions& options) {
  if (data.target.classes.size() == 2)
    return options.positive.empty() ? rarer_class(data.labels)
                                    : class_place(data.target, options.positive, "positive");
  if (options.costs || !options.positive.empty())
    throw UsageError(
        fmt::format("{}: a positive class and costs of errors are for two classes, "
                    "and there are {}",
                    data.name, data.target.classes.size()));
  return std::nullopt;
}

// Scores the predictions of the test rows by the labels that the model is to give. Returns the
// threshold that it is to have, if costs are given.
std::optional<Decision> judge(const Dataset& data, std::span<const int> test,
                              const TrainOptions& options, Predictions predictions,
                              std::optional<Evaluation>& scores) {
  const Judging judging{.weights = weights_of_rows(data, test),
                        .positive = positive_class(data, options),
                        .costs = options.costs};
  const std::vector<int> truth = pick(data.labels, test);
  const std::size_t classes = data.target.classes.size();
  scores = evaluate(truth, predictions, classes, judging);
  if (!options.costs) return std::nullopt;
  const Decision decision{scores->thresholds->positive, scores->thresholds->cheapest->threshold};
  decide(predictions, decision);
  scores = evaluate(truth, predictions, classes, judging);
  return decision;
}

void check_costs(const TrainOptions& options, bool rows_are_held_out) {
  if (options.costs && !rows_are_held_out)
    throw UsageError("costs of errors need rows that are held out, to choose the threshold on");
}

TrainedModel train_on_table(const Dataset& data, const ChosenMethod& method,
                            const TrainOptions& options, Observer* observer) {
  check_learnable(data);
  check_costs(options, options.test_fraction > 0.0);
  TrainedModel trained;
  std::optional<Decision> decision;
  // A committee needs no rows held out: each row is judged by members that were not trained on it.
  const bool judges_itself = method.info->way == Way::kCommittee;
  if (options.test_fraction > 0.0 && !judges_itself) {
    TrainingRows rows = hold_out(data, options.test_fraction, options.fit.seed);
    const std::vector<int> test = rows.split.test;
    FittedModel judged = fit_model(data, std::move(rows), method, options.fit, observer);
    trained.report = judged.report;
    if (judged.report.stopped) return trained;
    decision = judge(data, test, options, std::move(judged.test_predictions), trained.held_out);
  }
  std::vector<int> all(data.rows());
  std::iota(all.begin(), all.end(), 0);
  FittedModel whole = fit_model(data, rows_to_train_on(data, all), method, options.fit, observer);
  if (whole.out_of_fold && options.test_fraction > 0.0)
    decision = judge(data, whole.out_of_fold->rows, options,
                     std::move(whole.out_of_fold->predictions), trained.held_out);
  trained.model = std::move(whole.model);
  trained.model.readout.decision = decision;
  trained.report = whole.report;
  return trained;
}

TrainedModel train_on_images(const Dataset& data, const ChosenMethod& method,
                             const TrainOptions& options, Observer* observer,
                             const CheckpointFile* checkpoint) {
  const RowOptions& rows = options.rows;
  TrainingRows split = split_rows(data, options.fit.seed, rows);
  const std::vector<int> test = split.split.test;
  check_costs(options, !test.empty());
  FittedModel fitted = fit_model(data, std::move(split), method, options.fit, observer, checkpoint);
  auto& words = fitted.model.configuration;
  if (rows.imbalance != 1.0) words["imbalance"] = fmt::format("{}", rows.imbalance);
  if (rows.noise.ratio > 0.0)
    words["noise"] = fmt::format("{}:{}{}", noise_name(rows.noise.kind), rows.noise.ratio,
                                 rows.clean_pretraining ? " after the pre-training" : "");
  TrainedModel trained{std::move(fitted.model), fitted.report, std::nullopt};
  if (!fitted.report.stopped && !test.empty())
    trained.model.readout.decision =
        judge(data, test, options, std::move(fitted.test_predictions), trained.held_out);
  return trained;
}

}  // namespace

TrainedModel train_model(const Dataset& data, const ChosenMethod& method,
                         const TrainOptions& options, Observer* observer,
                         const CheckpointFile* checkpoint) {
  positive_class(data, options);  // throws if the options do not fit the classes
  TrainedModel trained = data.is_images()
                             ? train_on_images(data, method, options, observer, checkpoint)
                             : train_on_table(data, method, options, observer);
  if (trained.held_out) trained.model.held_out = trained.held_out->metrics;
  return trained;
}

}  // namespace uaspl
