// Using a model, see predict.hpp.
#include "uaspl/train/predict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "uaspl/base/error.hpp"
#include "uaspl/loss/evidential.hpp"
#include "uaspl/net/deep.hpp"

namespace uaspl {

Predictor::Predictor(const Model& model)
    : scaler_(model.scaler),
      evidence_(model.evidence),
      network_(std::make_shared<Matrix>(0, model.schema.width()),
               {model.schema.width(), model.hidden, model.schema.classes.size()}, 0) {
  network_.load(model.networks.front());
}

Predictions Predictor::predict(const DoubleMatrix& features) {
  std::vector<int> rows(features.rows());
  std::iota(rows.begin(), rows.end(), 0);
  return predict(features, rows);
}

Predictions Predictor::predict(const DoubleMatrix& features, std::span<const int> rows) {
  constexpr std::size_t kBlock = 4096;
  Predictions result;
  std::vector<int> places(std::min(kBlock, rows.size()));
  std::iota(places.begin(), places.end(), 0);
  for (std::size_t first = 0; first < rows.size(); first += kBlock) {
    const auto block = rows.subspan(first, std::min(kBlock, rows.size() - first));
    network_.bind(std::make_shared<Matrix>(standardise(features, block, scaler_)));
    add_predictions(network_.logits({std::span(places).first(block.size())}), evidence_, result);
  }
  return result;
}

ImagePredictor::ImagePredictor(Model model, std::string device, std::size_t threads)
    : model_(std::move(model)), device_(std::move(device)), threads_(threads) {
  if (!model_.images) throw Error("the model is of tables, not of images");
}

Predictions ImagePredictor::predict(const std::shared_ptr<const ImageSet>& images,
                                    std::span<const int> rows) {
  const ImageInput& input = *model_.images;
  if (images->shape != input.shape)
    throw Error(
        fmt::format("{}: images of {}x{}x{}, the model takes {}x{}x{} (channels, height, "
                    "width)",
                    images->name, images->shape.channels, images->shape.height, images->shape.width,
                    input.shape.channels, input.shape.height, input.shape.width));
  const auto network = make_deep_network(images, {.network = input.network,
                                                  .transform = input.transform,
                                                  .classes = model_.schema.classes.size(),
                                                  .seed = 0,
                                                  .threads = threads_,
                                                  .device = device_});
  network->load(model_.networks.front());
  Predictions result;
  add_predictions(network->logits({rows}), model_.evidence, result);
  return result;
}

void add_predictions(const Matrix& logits, std::optional<Evidence> evidence, Predictions& result) {
  const std::size_t first = result.labels.size();
  result.probabilities.resize(first + logits.rows(), logits.cols());
  const auto append = [](auto& all, const auto& more) {
    all.insert(all.end(), more.begin(), more.end());
  };
  append(result.labels, predicted_classes(logits));
  if (evidence) append(result.vacuity, vacuity(logits, *evidence));
  std::vector<double> mass(logits.cols());
  for (std::size_t i = 0; i < logits.rows(); ++i) {
    std::ranges::copy(logits.row(i), mass.begin());
    const double top = std::ranges::max(mass);
    for (double& m : mass) m = evidence ? evidence_of(*evidence, m) + 1.0 : std::exp(m - top);
    const double sum = std::accumulate(mass.begin(), mass.end(), 0.0);
    double entropy = 0.0;
    for (std::size_t k = 0; k < mass.size(); ++k) {
      const double p = mass[k] / sum;
      result.probabilities(first + i, k) = static_cast<float>(p);
      if (p > 0.0) entropy -= p * std::log(p);
    }
    result.entropy.push_back(static_cast<float>(entropy));
  }
}

}  // namespace uaspl
