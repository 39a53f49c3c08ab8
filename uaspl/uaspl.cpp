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

std::vector<int> rows_to_judge_by(const Dataset& data) {
  std::size_t first = 0;
  if (data.is_images() && data.images().set->train < data.rows()) first = data.images().set->train;
  std::vector<int> rows(data.rows() - first);
  std::iota(rows.begin(), rows.end(), static_cast<int>(first));
  return rows;
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
  return {.fit = usual.fit, .rows = usual.rows};
}

Evaluation evaluate(const Predictor& predictor, const Dataset& data) {
  const Model& model = predictor.model();
  if (!data.is_images() && !model.is_of_images() &&
      data.table().schema.features != model.table().schema.features)
    throw Error(data.name + ": its columns or categories are not those of the model; " +
                "load_dataset_for(model, file) reads it as the model does");
  const std::vector<int> rows = rows_to_judge_by(data);
  const std::vector<int> places = places_among(model.target.classes, data.target.classes);
  std::vector<int> truth;
  for (const int label : pick(data.labels, rows))
    truth.push_back(label < 0 ? -1 : places[static_cast<std::size_t>(label)]);
  return evaluate(truth, predictor.predict(data, rows), model.target.classes.size());
}

Evaluation evaluate(const Predictor& predictor, const std::filesystem::path& file,
                    const CsvFormat& format) {
  return evaluate(predictor, load_dataset_for(predictor.model(), file, format));
}

Dataset load_dataset_for(const Model& model, const std::filesystem::path& file,
                         const CsvFormat& format) {
  if (model.is_of_images()) throw Error("the model is of images, not of tables");
  return load_by_schema(file, model.table().schema, model.target, format);
}

}  // namespace uaspl
