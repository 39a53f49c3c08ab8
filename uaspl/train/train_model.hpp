// Trains a model for use, and scores it on rows that it has not seen.
#pragma once

#include <optional>
#include <string>

#include "uaspl/train/fit_model.hpp"

namespace uaspl {

struct TrainOptions {
  FitOptions fit = {};
  double test_fraction = 0.2;  // share of each class of a table held out for the scores; 0: none
  RowOptions rows = {};        // of images: noise and imbalance
  // Of two classes, the one that is looked for; default: the rarer one.
  std::string positive = {};
  // What errors between two classes cost. The probability of the positive class from which on it is
  // the label is then the one that costs least on the rows held out, and part of the model.
  std::optional<Costs> costs = {};
};

struct TrainedModel {
  Model model;
  FitReport report;                    // of the model that is returned
  std::optional<Evaluation> held_out;  // scores on rows that it was not trained on
};

// For a table, a part of the rows is held out, and a model is trained on the others and scored;
// then the returned model is trained on all rows. For images, the model is scored on the test
// images and returned as it is. Scores are by the model's labels: with costs, by the threshold that
// was chosen on the very same rows, which therefore suits them a little too well. `report.stopped`
// says that the observer ended the training.
TrainedModel train_model(const Dataset& data, const ChosenMethod& method,
                         const TrainOptions& options, Observer* observer = nullptr,
                         const CheckpointFile* checkpoint = nullptr);

}  // namespace uaspl
