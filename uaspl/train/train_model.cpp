// Trains a model for use, see train_model.hpp.
#include "uaspl/train/train_model.hpp"

#include <fmt/format.h>

#include <numeric>

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

// A committee needs no rows held out: it is judged by members that were not trained on a row.
TrainedModel train_committee(const Dataset& data, const ChosenMethod& method,
                             const TrainOptions& options, Observer* observer) {
  std::vector<int> all(data.rows());
  std::iota(all.begin(), all.end(), 0);
  FittedModel whole = fit_model(data, rows_to_train_on(data, all), method, options.fit, observer);
  TrainedModel trained{std::move(whole.model), whole.report, std::nullopt};
  if (whole.out_of_fold && options.test_fraction > 0.0)
    trained.held_out = evaluate(whole.out_of_fold->labels, whole.out_of_fold->predictions,
                                data.target.classes.size());
  return trained;
}

TrainedModel train_on_table(const Dataset& data, const ChosenMethod& method,
                            const TrainOptions& options, Observer* observer) {
  check_learnable(data);
  TrainedModel trained;
  if (method.info->way == Way::kCommittee) return train_committee(data, method, options, observer);
  if (options.test_fraction > 0.0) {
    const FittedModel judged =
        fit_model(data, hold_out(data, options.test_fraction, options.fit.seed), method,
                  options.fit, observer);
    trained.report = judged.report;
    trained.held_out = judged.test;
    if (judged.report.stopped) return trained;
  }
  std::vector<int> all(data.rows());
  std::iota(all.begin(), all.end(), 0);
  FittedModel whole = fit_model(data, rows_to_train_on(data, all), method, options.fit, observer);
  trained.model = std::move(whole.model);
  trained.report = whole.report;
  return trained;
}

TrainedModel train_on_images(const Dataset& data, const ChosenMethod& method,
                             const TrainOptions& options, Observer* observer,
                             const CheckpointFile* checkpoint) {
  const RowOptions& rows = options.rows;
  FittedModel fitted = fit_model(data, split_rows(data, options.fit.seed, rows), method,
                                 options.fit, observer, checkpoint);
  auto& words = fitted.model.configuration;
  if (rows.imbalance != 1.0) words["imbalance"] = fmt::format("{}", rows.imbalance);
  if (rows.noise.ratio > 0.0)
    words["noise"] = fmt::format("{}:{}{}", noise_name(rows.noise.kind), rows.noise.ratio,
                                 rows.clean_pretraining ? " after the pre-training" : "");
  return {std::move(fitted.model), fitted.report, std::move(fitted.test)};
}

}  // namespace

TrainedModel train_model(const Dataset& data, const ChosenMethod& method,
                         const TrainOptions& options, Observer* observer,
                         const CheckpointFile* checkpoint) {
  TrainedModel trained = data.is_images()
                             ? train_on_images(data, method, options, observer, checkpoint)
                             : train_on_table(data, method, options, observer);
  if (trained.held_out) trained.model.held_out = trained.held_out->metrics;
  return trained;
}

}  // namespace uaspl
