// Uses a model: predicts labels, probabilities and uncertainties of rows of a table or of images.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "uaspl/model/model.hpp"

namespace uaspl {

// The prediction of one row. If a network's output for it is not finite (a number far beyond what
// it was trained on), there is no answer: the label is empty, the vacuity 1, all else NaN.
struct Prediction {
  std::string label;
  std::vector<float> probabilities;  // in the order of the model's classes
  std::vector<float> evidence;       // for each class; empty for softmax models
  std::optional<float> vacuity;      // 0: much evidence, 1: none; nothing for softmax models
  float entropy = 0.0F;              // of the probabilities, in nats
  int unknown = 0;  // cells that the training rows give no way to read: they tell nothing
};

// Each unknown cell of a row takes so much of its evidence away: what the network says was learned
// from rows that had such cells.
inline constexpr double kEvidenceOfUnknown = 0.1;

// Any number of threads may use one predictor at once: its functions are const, and each call has
// its own working memory. Answers do not depend on other calls at the same time.
class Predictor {
 public:
  explicit Predictor(Model model, const Resources& resources = {});
  ~Predictor();
  Predictor(Predictor&&) noexcept;
  Predictor& operator=(Predictor&&) noexcept;

  const Model& model() const;

  // Predicts one row by the names of its columns: predict_row({{"age", 42}, {"plan", "basic"}}). A
  // column that the row lacks is an error; empty text and NaN are missing cells, and a category
  // that was never seen counts as unknown.
  Prediction predict_row(const NamedRow& row) const;

  // Predicts several such rows.
  Predictions predict_rows(std::span<const NamedRow> rows) const;

  // Predicts rows of cells as a table has them, a column for each feature of the model's schema.
  // Apart from the result, memory does not depend on the number of rows.
  Predictions predict(const DoubleMatrix& features) const;
  Predictions predict(const DoubleMatrix& features, std::span<const int> rows) const;

  // Predicts some of the images, which must have the model's shape.
  Predictions predict(const std::shared_ptr<const ImageSet>& images,
                      std::span<const int> rows) const;

  // Predicts some rows of a data set, table or images.
  Predictions predict(const Dataset& data, std::span<const int> rows) const;

 private:
  struct Parts;
  std::unique_ptr<const Parts> parts_;
};

}  // namespace uaspl
