// Fits networks: the one way from a data set, rows, a method and its training to trained weights.
// Training a model, experiments and everything else that fits networks go through here.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "uaspl/data/dataset.hpp"
#include "uaspl/method/registry.hpp"
#include "uaspl/model/evaluation.hpp"
#include "uaspl/model/model.hpp"
#include "uaspl/net/start_weights.hpp"
#include "uaspl/train/trainer.hpp"
#include "uaspl/train/training_rows.hpp"

namespace uaspl {

struct FitOptions {
  NetworkKind network = {.name = "mlp", .hidden = {128, 128}};
  // Weights to begin with instead of drawn ones; a pre-training, if any, goes on from them.
  std::shared_ptr<const StartWeights> start = nullptr;
  int pretraining = 20;  // cross-entropy passes
  Training training = {};
  ClassWeights class_weights = {};  // times the weights of the rows, if they have any
  std::uint32_t seed = 2025;        // of the first weights and of all draws in training
  Resources resources = {.threads = 0};
  bool for_images() const { return network.name != "mlp"; }
};

// A trained network, how its logits are read, and how its training went.
struct FittedNetwork {
  std::unique_ptr<Network> network;
  Readout readout;
  FitReport report;
};

// The common start of the fits of several methods: rows as a network reads them, and a network that
// is pre-trained on them. The data set must outlive it.
class PreparedFit {
 public:
  PreparedFit(const Dataset& data, TrainingRows rows, const FitOptions& options);

  // Throws, with a reason, if a method needs what the network or the rows cannot give.
  void check(const ChosenMethod& method) const;

  // Pre-trains the network; returns false if the observer stopped it. If the checkpoint file
  // exists, the result is read from it, and otherwise written to it.
  bool pretrain(Observer* observer = nullptr, const CheckpointFile* checkpoint = nullptr);

  // Trains a copy of the pre-trained network by the stages of a method, with the options that suit
  // the data set unless they are set. Several threads may call it at once, if each has its own
  // observer and checkpoint.
  FittedNetwork fit(const ChosenMethod& method, Observer* observer = nullptr,
                    const CheckpointFile* checkpoint = nullptr) const;

  // Makes the model of a fitted network.
  Model model(const ChosenMethod& method, const FittedNetwork& fitted) const;

  const Dataset& data() const { return data_; }
  const TrainingRows& rows() const { return rows_; }
  const Inputs& inputs() const { return inputs_; }
  const Network& pretrained() const { return *network_; }
  double pretraining_seconds() const { return pretraining_.seconds; }
  TrainingSet training_set() const {
    return {.inputs = &inputs_,
            .rows = rows_.split.train,
            .labels = rows_.labels,
            .classes = rows_.classes,
            .pretraining = &pretraining_.history,
            .memo = &memo_,
            .weights = weights_};
  }
  const std::vector<double>& test_weights() const { return test_weights_; }  // may be none
  // Scores a network on the test rows, which count by their weights. A row without a finite logit
  // counts as of a class too, see predicted_classes().
  Metrics test(const Network& network) const;
  Matrix test_logits(const Network& network) const;
  // Mean loss and accuracy of a network on the training rows, with their labels, and on the test
  // rows; NaN if there are none.
  struct Standing {
    double train_loss, train_accuracy, test_loss, test_accuracy;
  };
  Standing standing(const Network& network, const Loss& loss) const;
  Predictions predict_test(const FittedNetwork& fitted) const;
  Evaluation evaluate(const Predictions& of_test_rows) const;
  Evaluation evaluate(const FittedNetwork& fitted) const { return evaluate(predict_test(fitted)); }

 private:
  const Dataset& data_;
  TrainingRows rows_;
  FitOptions options_;
  Encoder encoder_;
  Inputs inputs_;
  std::vector<float> weights_;        // of the training rows, see loss_weights()
  std::vector<double> test_weights_;  // of the test rows in the data set
  std::unique_ptr<Network> network_;
  Pretraining pretraining_;
  mutable Memo memo_;  // results that the methods share
};

// Predictions of rows by parts of a model that were not trained on them.
struct Judged {
  std::vector<int> rows;  // of the data set
  Predictions predictions;
};

// The result of all steps for one method. If `report.stopped` says that the observer ended it,
// nothing else in it may be used.
struct FittedModel {
  Model model;
  FitReport report;
  std::optional<Evaluation> test;          // on the test rows, if there are any
  Predictions test_predictions;            // of these rows
  std::optional<Judged> out_of_fold = {};  // of the training rows, by methods that judge themselves
};
FittedModel fit_model(const Dataset& data, TrainingRows rows, const ChosenMethod& method,
                      const FitOptions& options, Observer* observer = nullptr,
                      const CheckpointFile* checkpoint = nullptr);

// Throws, with a reason, if nothing can be learned from the data: no second class, or hardly more
// rows than classes.
void check_learnable(const Dataset& data);

// The number of rows that the steps of a fit will see if no stage ends early. A row that is seen
// twice counts twice.
struct PlannedRows {
  double pretraining;
  double stages;
};
PlannedRows planned_rows(const Dataset& data, const ChosenMethod& method, const FitOptions& options,
                         const RowOptions& rows, std::uint32_t seed);

}  // namespace uaspl
