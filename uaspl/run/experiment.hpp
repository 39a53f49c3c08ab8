// One unit of an experiment: a data set at a seed, prepared once, on which all methods are run from
// the same pre-trained network.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "uaspl/data/dataset.hpp"
#include "uaspl/data/noise.hpp"
#include "uaspl/data/split.hpp"
#include "uaspl/method/registry.hpp"
#include "uaspl/net/mlp.hpp"
#include "uaspl/run/record.hpp"
#include "uaspl/train/metrics.hpp"
#include "uaspl/train/trainer.hpp"

namespace uaspl {

struct ExperimentOptions {
  double test_fraction = 0.5;
  int pretraining = 20;  // cross-entropy passes
  std::vector<std::size_t> hidden = {128, 128};
  Training training = {};
  LabelNoise noise = {};           // in the labels of the training half
  bool clean_pretraining = false;  // before the noise comes in
  // What follows changes no result.
  std::size_t threads = 1;  // inside one fit
  bool trace = false;       // keep what every row was like at every stage
};

// All that decides a run's result besides data, method and seed, as canonical JSON.
std::string configuration(const ChosenMethod& method, const ExperimentOptions& options);

// Of what is trained on: encoded features, labels and classes, however the file looked. Takes a
// pass over the data unless it is kept in data.content.
std::string content_sha256(const Dataset& data);

// Data set and seed: split, scaled, and a network pre-trained on the training half. The data set
// must outlive it.
class PreparedRun {
 public:
  PreparedRun(const Dataset& data, std::uint32_t seed, const ExperimentOptions& options,
              Observer* observer = nullptr);

  // Trains a clone of the pre-trained network; the others are not touched. Nothing where the
  // observer stopped it.
  std::optional<RunRecord> run(const ChosenMethod& method, Observer* observer = nullptr) const;

  // Scores of a network on the test rows.
  Metrics test(const Network& network) const;

  const Split& split() const { return split_; }
  const Network& pretrained() const { return *network_; }
  TrainingSet training_set() const {
    return {split_.train, train_labels_, classes_, &history_, &memo_};
  }

 private:
  const Dataset& data_;
  std::string data_sha256_;
  std::uint32_t seed_;
  ExperimentOptions options_;
  Split split_;
  std::vector<int> train_labels_;
  std::vector<int> test_labels_;
  std::size_t classes_ = 0;
  std::size_t unseen_rows_ = 0;
  std::unique_ptr<Mlp> network_;
  PredictionHistory history_;  // of the pre-training
  mutable Memo memo_;          // what its methods share
  double pretraining_seconds_ = 0.0;
};

}  // namespace uaspl
