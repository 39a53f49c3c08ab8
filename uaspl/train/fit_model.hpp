// The one way from a data set, rows, a method and its training to trained weights: training a
// model, experiments and whatever else fits networks go through here.
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
#include "uaspl/train/trainer.hpp"
#include "uaspl/train/training_rows.hpp"

namespace uaspl {

struct FitOptions {
  NetworkKind network = {.name = "mlp", .hidden = {128, 128}};
  int pretraining = 20;  // cross-entropy passes
  Training training = {};
  std::uint32_t seed = 2025;  // of weights and of all that is drawn in training
  Resources resources = {};
  bool for_images() const { return network.name != "mlp"; }
};

// A trained network, how its logits are read, and how its training went.
struct FittedNetwork {
  std::unique_ptr<Network> network;
  Readout readout;
  FitReport report;
};

// What the fits of several methods begin with: rows as a network reads them, and a network that is
// pre-trained on them. The data set must outlive it.
class PreparedFit {
 public:
  PreparedFit(const Dataset& data, TrainingRows rows, const FitOptions& options);

  // Refuses, with a reason, a method that needs what network or rows cannot give.
  void check(const ChosenMethod& method) const;

  // False where the observer stopped it. With a checkpoint file, it is read from there where it is
  // there, and otherwise written to it.
  bool pretrain(Observer* observer = nullptr, const CheckpointFile* checkpoint = nullptr);

  // Trains a copy of the pre-trained network by the stages of a method, with the options that suit
  // the data set where none are set. From several threads at once, where each has its own observer
  // and checkpoint.
  FittedNetwork fit(const ChosenMethod& method, Observer* observer = nullptr,
                    const CheckpointFile* checkpoint = nullptr) const;

  // The model of a fitted network.
  Model model(const ChosenMethod& method, const FittedNetwork& fitted) const;

  const Dataset& data() const { return data_; }
  const TrainingRows& rows() const { return rows_; }
  const Inputs& inputs() const { return inputs_; }
  const Network& pretrained() const { return *network_; }
  double pretraining_seconds() const { return pretraining_.seconds; }
  TrainingSet training_set() const {
    return {&inputs_,      rows_.split.train,     rows_.labels,
            rows_.classes, &pretraining_.history, &memo_};
  }
  // Of a network on the test rows.
  Metrics test(const Network& network) const;
  Evaluation evaluate(const FittedNetwork& fitted) const;

 private:
  const Dataset& data_;
  TrainingRows rows_;
  FitOptions options_;
  Encoder encoder_;
  Inputs inputs_;
  std::unique_ptr<Network> network_;
  Pretraining pretraining_;
  mutable Memo memo_;  // what the methods share
};

// All of it for one method. `report.stopped` says that the observer ended it; then there is nothing
// else to use.
struct FittedModel {
  Model model;
  FitReport report;
  std::optional<Evaluation> test;  // on the test rows, where there are some
};
FittedModel fit_model(const Dataset& data, TrainingRows rows, const ChosenMethod& method,
                      const FitOptions& options, Observer* observer = nullptr,
                      const CheckpointFile* checkpoint = nullptr);

// Refuses, with a reason, data that nothing can be learned from: no second class, hardly more rows
// than classes.
void check_learnable(const Dataset& data);

// How many rows the steps of a fit will see, one that is seen twice counting twice, where no stage
// ends early.
struct PlannedRows {
  double pretraining;
  double stages;
};
PlannedRows planned_rows(const Dataset& data, const ChosenMethod& method, const FitOptions& options,
                         const RowOptions& rows, std::uint32_t seed);

}  // namespace uaspl
