// The front door: train, save, load, predict and evaluate, on files or on memory.
//
//   const uaspl::TrainedModel trained = uaspl::train("customers.csv", {.target = "churned"});
//   uaspl::save_model(trained.model, "churn.model");
//
//   const uaspl::Predictor predictor(uaspl::load_model("churn.model"));
//   const uaspl::Prediction answer = predictor.predict_row({{"age", 42}, {"contract", "monthly"}});
//   const uaspl::Evaluation scores = uaspl::evaluate(predictor, "last_month.csv");
//
// Errors are uaspl::Error, whose what() says where, what and what was expected. Methods of one's
// own, grids of experiments and reports: uaspl/lab.hpp. docs/cpp.md walks through all of it.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "uaspl/data/catalogue.hpp"
#include "uaspl/data/image/image_dataset.hpp"
#include "uaspl/data/image/image_sets.hpp"
#include "uaspl/data/table/load.hpp"
#include "uaspl/data/table/memory.hpp"
#include "uaspl/predict.hpp"
#include "uaspl/train/train_model.hpp"

namespace uaspl {

// Trains a model and scores it on rows that it has not seen. The method is one of `uaspl list
// methods`; settings are METHOD.OPTION=VALUE.
TrainedModel train(const Dataset& data, const std::string& method = "uaspl",
                   const TrainOptions& options = {}, const std::vector<std::string>& settings = {});

// Trains on a CSV file in the same way.
TrainedModel train(const std::filesystem::path& file, const LoadOptions& load = {},
                   const std::string& method = "uaspl", const TrainOptions& options = {},
                   const std::vector<std::string>& settings = {});

// Returns passes, rates and views as in the paper's image study; profiles are quick, mid and full.
// How many images there are is said where they are opened (ImageOptions).
TrainOptions image_training(const std::string& network = "resnet18",
                            const std::string& profile = "full");

// What scores of two classes look at.
struct EvaluateOptions {
  std::string positive = {};        // the class that is looked for; default: the model's, or the
                                    // rarer one among the rows
  std::optional<Costs> costs = {};  // of errors; tells which threshold would cost least
};

// Scores a model on rows with known classes: all rows of a table that was loaded by the model's
// schema, or the test images of a set (all its images if none are for testing). Classes are
// compared by name. Rows count by the weights that the data set has.
Evaluation evaluate(const Predictor& predictor, const Dataset& data,
                    const EvaluateOptions& options = {});
Evaluation evaluate(const Predictor& predictor, const std::shared_ptr<const ImageSet>& images,
                    const EvaluateOptions& options = {});
// Scores a model on a CSV file, whose columns are found by name.
Evaluation evaluate(const Predictor& predictor, const std::filesystem::path& file,
                    const TableFormat& format = {}, const EvaluateOptions& options = {});

// Loads the rows of a CSV file in the form that the model reads; `weight` names the column of the
// rows' weights, if there is one.
Dataset load_dataset_for(const Model& model, const std::filesystem::path& file,
                         const TableFormat& format = {}, const std::string& weight = {});

}  // namespace uaspl
