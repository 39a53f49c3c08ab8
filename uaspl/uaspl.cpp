// The front door, see uaspl.hpp.
#include "uaspl/uaspl.hpp"

#include <algorithm>
#include <numeric>

#include "uaspl/base/error.hpp"
#include "uaspl/base/pick.hpp"
#include "uaspl/study/protocol.hpp"

namespace uaspl {
namespace {

// Returns the place of each class of the data set among the model's classes, -1 if it is not there.
std::vector<int> places_among(const std::vector<std::string>& known,
                              const std::vector<std::string>& names) {
  std::vector<int> places;
  for (const std::string& name : names) {
    const auto found = std::ranges::find(known, name);
    places.push_back(found == known.end() ? -1 : static_cast<int>(found - known.begin()));
  }
  return places;
}

std::vector<int> rows_from(std::size_t first, std::size_t end) {
  std::vector<int> rows(end - first);
  std::iota(rows.begin(), rows.end(), static_cast<int>(first));
  return rows;
}

// The labels of some rows as places among the model's classes.
std::vector<int> truth_of(const Model& model, const std::vector<std::string>& classes,
                          std::span<const int> labels, std::span<const int> rows) {
  const std::vector<int> places = places_among(model.target.classes, classes);
  std::vector<int> truth;
  for (const int label : pick(labels, rows))
    truth.push_back(label < 0 ? -1 : places[static_cast<std::size_t>(label)]);
  return truth;
}

Judging judging_by(const Model& model, const EvaluateOptions& options,
                   const std::vector<double>& weights) {
  Judging judging{.weights = weights, .positive = std::nullopt, .costs = options.costs};
  if (!options.positive.empty()) {
    if (model.target.classes.size() != 2)
      throw UsageError("a positive class is one of two, and the model has another number of them");
    judging.positive = class_place(model.target, options.positive, "positive");
  } else if (model.readout.decision) {
    judging.positive = model.readout.decision->positive;
  }
  return judging;
}

}  // namespace

TrainedModel train(const Dataset& data, const std::string& method, const TrainOptions& options,
                   const std::vector<std::string>& settings) {
  const std::vector<std::string> names{method};
  const std::vector<ChosenMethod> chosen = choose_methods(names, settings);
  if (chosen.size() != 1) throw UnknownName("expected the name of one method");
  return train_model(data, chosen.front(), options);
}

TrainedModel train(const std::filesystem::path& file, const LoadOptions& load,
                   const std::string& method, const TrainOptions& options,
                   const std::vector<std::string>& settings) {
  LoadOptions all = load;
  all.hash = true;  // the model records what it was trained on
  return train(load_dataset(file, all), method, options, settings);
}

TrainOptions image_training(const std::string& network, const std::string& profile) {
  const ExperimentOptions usual = image_protocol(find_image_profile(profile), network);
  TrainOptions options{.fit = usual.fit, .rows = usual.rows};
  options.fit.resources.threads = 0;  // all cores: nothing else is trained beside it
  return options;
}

Evaluation evaluate(const Predictor& predictor, const Dataset& data,
                    const EvaluateOptions& options) {
  if (data.is_images()) return evaluate(predictor, data.images().set, options);
  const Model& model = predictor.model();
  if (!model.is_of_images() &&
      !std::ranges::equal(data.table().schema.features, model.table().schema.features, reads_like))
    throw Error(data.name + ": its columns or categories are not those of the model; " +
                "load_dataset_for(model, file) reads it as the model does");
  const std::vector<int> rows = rows_from(0, data.rows());
  check_weights_of_rows(data);
  return evaluate(truth_of(model, data.target.classes, data.labels, rows),
                  predictor.predict(data, rows), model.target.classes.size(),
                  judging_by(model, options, data.weights));
}

Evaluation evaluate(const Predictor& predictor, const std::shared_ptr<const ImageSet>& images,
                    const EvaluateOptions& options) {
  const Model& model = predictor.model();
  const std::vector<int> rows =
      rows_from(images->train < images->rows() ? images->train : 0, images->rows());
  return evaluate(truth_of(model, images->classes, images->labels, rows),
                  predictor.predict(images, rows), model.target.classes.size(),
                  judging_by(model, options, {}));
}

Evaluation evaluate(const Predictor& predictor, const std::filesystem::path& file,
                    const TableFormat& format, const EvaluateOptions& options) {
  return evaluate(predictor, load_dataset_for(predictor.model(), file, format), options);
}

Dataset load_dataset_for(const Model& model, const std::filesystem::path& file,
                         const TableFormat& format, const std::string& weight) {
  if (model.is_of_images()) throw Error("the model is of images, not of tables");
  return load_by_schema(file, model.table().schema, model.target, format, &model.table().scaler,
                        false, weight);
}

}  // namespace uaspl
