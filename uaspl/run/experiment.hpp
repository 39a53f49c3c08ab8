// One unit of an experiment: a data set at a seed, prepared once, on which all methods are run from
// the same pre-trained network.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "uaspl/data/dataset.hpp"
#include "uaspl/run/record.hpp"
#include "uaspl/run/start.hpp"
#include "uaspl/train/checkpoint.hpp"
#include "uaspl/train/metrics.hpp"
#include "uaspl/train/trainer.hpp"

namespace uaspl {

// Of what is trained on: encoded features or pixels, labels and classes, however the file looked.
// Takes a pass over the data unless it is kept in data.content.
std::string content_sha256(const Dataset& data);

// What a run of this method will be known by. What suits the data set is set where the user said
// nothing else.
RunKey run_key(const Dataset& data, std::string content, const ChosenMethod& method,
               const ExperimentOptions& options, std::uint32_t seed);

// The text that a checkpoint of the run must have: all that decides its result.
std::string run_text(const RunKey& key);

// What is kept of a run that is not finished, and of the pre-training that its unit shares; nothing
// where the options name no folder.
std::optional<CheckpointFile> run_checkpoint(const RunKey& key, const ExperimentOptions& options);
std::optional<CheckpointFile> pretraining_checkpoint(const RunKey& any_of_unit,
                                                     const ExperimentOptions& options);

// Data set and seed: split, and a network pre-trained on the training rows. The data set must
// outlive it.
class PreparedRun {
 public:
  PreparedRun(const Dataset& data, std::uint32_t seed, const ExperimentOptions& options,
              Observer* observer = nullptr);

  // Trains a clone of the pre-trained network; the others are not touched. Nothing where the
  // observer stopped it.
  std::optional<RunRecord> run(const ChosenMethod& method, Observer* observer = nullptr) const;

  // Scores of a network on the test rows.
  Metrics test(const Network& network) const;

  const Split& split() const { return start_.split; }
  const Network& pretrained() const { return *start_.network; }
  TrainingSet training_set() const {
    return {start_.split.train, start_.labels, start_.classes, &history_, &memo_};
  }

 private:
  const Dataset& data_;
  std::string content_;
  std::uint32_t seed_;
  ExperimentOptions options_;
  Start start_;
  PredictionHistory history_;  // of the pre-training
  mutable Memo memo_;          // what its methods share
  bool stopped_ = false;       // the pre-training was
  double pretraining_seconds_ = 0.0;
};

}  // namespace uaspl
