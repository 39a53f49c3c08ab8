// Using a model: labels, probabilities and how sure it is.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "uaspl/net/mlp.hpp"
#include "uaspl/train/model.hpp"

namespace uaspl {

struct Predictions {
  std::vector<int> labels;     // argmax of the logits
  Matrix probabilities;        // mean of the Dirichlet distribution, or softmax
  std::vector<float> vacuity;  // K / S; empty for softmax models
  std::vector<float> entropy;  // of the probabilities, in nats
};

// Of tables.
class Predictor {
 public:
  explicit Predictor(const Model& model);

  // `features` as the model's schema encodes them, not scaled.
  Predictions predict(const DoubleMatrix& features);
  // Of some rows. Beside the result, memory does not depend on how many they are.
  Predictions predict(const DoubleMatrix& features, std::span<const int> rows);

 private:
  Scaler scaler_;
  std::optional<Evidence> evidence_;
  Mlp network_;
};

// Of images, on a device and with so many threads of libtorch.
class ImagePredictor {
 public:
  ImagePredictor(Model model, std::string device, std::size_t threads);

  // Of some of the images, which must have the model's shape.
  Predictions predict(const std::shared_ptr<const ImageSet>& images, std::span<const int> rows);

 private:
  Model model_;
  std::string device_;
  std::size_t threads_;
};

// What logits say, added after the rows that are there.
void add_predictions(const Matrix& logits, std::optional<Evidence> evidence, Predictions& result);

}  // namespace uaspl
