// Using a model: labels, probabilities and how sure it is, of rows of a table or of images.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "uaspl/model/model.hpp"

namespace uaspl {

// What is said of one row.
struct Prediction {
  std::string label;
  std::vector<float> probabilities;  // in the order of the model's classes
  std::vector<float> evidence;       // the same; empty for softmax models
  std::optional<float> vacuity;      // 0: much evidence, 1: none; not there for softmax models
  float entropy = 0.0F;              // of the probabilities, in nats
};

// Any number of threads may use one predictor at once: its functions are const, and whatever they
// need while they compute is theirs alone. Answers do not depend on who asks beside.
class Predictor {
 public:
  explicit Predictor(Model model, const Resources& resources = {});
  ~Predictor();
  Predictor(Predictor&&) noexcept;
  Predictor& operator=(Predictor&&) noexcept;

  const Model& model() const;

  // One row by the names of its columns: predict_row({{"age", 42}, {"plan", "basic"}}).
  Prediction predict_row(const NamedRow& row) const;

  // Several of them.
  Predictions predict_rows(std::span<const NamedRow> rows) const;

  // `features` as the model's schema encodes them, not scaled. Beside the result, memory does not
  // depend on how many rows there are.
  Predictions predict(const DoubleMatrix& features) const;
  Predictions predict(const DoubleMatrix& features, std::span<const int> rows) const;

  // Of some of the images, which must have the model's shape.
  Predictions predict(const std::shared_ptr<const ImageSet>& images,
                      std::span<const int> rows) const;

  // Of some rows of a data set, table or images.
  Predictions predict(const Dataset& data, std::span<const int> rows) const;

 private:
  struct Parts;
  std::unique_ptr<const Parts> parts_;
};

}  // namespace uaspl
