// From a data set to a model, see learner.hpp.
#include "uaspl/train/learner.hpp"

#include <fmt/format.h>

#include <utility>

#include "uaspl/base/error.hpp"
#include "uaspl/base/version.hpp"
#include "uaspl/net/mlp.hpp"

namespace uaspl {

std::map<std::string, std::string> describe_training(const ChosenMethod& method,
                                                     const Training& training, int pretraining) {
  std::map<std::string, std::string> text{{"pretraining", fmt::format("{}", pretraining)},
                                          {"stages", fmt::format("{}", training.stages)},
                                          {"steps", fmt::format("{}", training.passes)},
                                          {"batch", fmt::format("{}", training.batch)},
                                          {"rate", fmt::format("{}", training.step.rate)},
                                          {"momentum", fmt::format("{}", training.step.momentum)},
                                          {"decay", fmt::format("{}", training.step.decay)}};
  for (const Option& option : method.info->options)
    text.emplace(fmt::format("{}.{}", method.info->name, option.name),
                 method.settings.text(option.name));
  return text;
}

Learned learn(const Dataset& data, std::span<const int> rows, const ChosenMethod& chosen,
              const LearnOptions& options, Observer* observer) {
  Learned learned;
  Model& model = learned.model;
  model.schema = data.schema;
  model.scaler = fit_scaler(data.features, rows);
  model.hidden = options.hidden;
  model.method = chosen.info->name;
  model.configuration = describe_training(chosen, options.training, options.pretraining);
  model.seed = options.seed;
  model.rows = rows.size();
  model.data_sha256 = data.sha256;
  model.version = version();

  Training training = options.training;
  training.seed = options.seed;
  const std::size_t classes = data.schema.classes.size();
  std::vector<int> labels;
  for (const int row : rows) labels.push_back(data.labels[static_cast<std::size_t>(row)]);
  TrainingSet set{rows, labels, classes};
  auto inputs = std::make_shared<const Matrix>(standardise(data.features, model.scaler));
  const MlpShape shape{inputs->cols(), options.hidden, classes};
  Mlp start(std::move(inputs), shape, options.seed, workers_for(rows.size(), options.threads));
  const auto method = chosen.make();
  check_needs(method->needs(), start, rows.size(), chosen.info->name);
  const Pretraining pretraining = pretrain(start, set, options.pretraining, training, observer);
  learned.report.stopped = pretraining.stopped;
  set.pretraining = &pretraining.history;
  const auto network = start.clone();
  if (!learned.report.stopped) learned.report = fit(*network, *method, set, training, observer);
  model.evidence = method->loss({training.stages - 1, training.stages, 1.0}).evidence();
  model.networks.push_back(network->save());
  return learned;
}

void check_learnable(const Dataset& data) {
  const Schema& schema = data.schema;
  if (schema.classes.size() < 2)
    throw Error(fmt::format("{}: column '{}' has only one class ('{}'), expected at least two",
                            data.name, schema.target,
                            schema.classes.empty() ? "" : schema.classes.front()));
  if (data.rows() < 2 * schema.classes.size())
    throw Error(
        fmt::format("{}: column '{}' has {} classes in {} rows, expected two rows a class or more; "
                    "is it the class?",
                    data.name, schema.target, schema.classes.size(), data.rows()));
}

}  // namespace uaspl
