// Runs one unit of an experiment: a data set at a seed, prepared once, on which all methods are run
// from the same pre-trained network.
#pragma once

#include <cstdint>
#include <optional>

#include "uaspl/data/dataset.hpp"
#include "uaspl/study/protocol.hpp"
#include "uaspl/study/record.hpp"
#include "uaspl/study/run_key.hpp"
#include "uaspl/train/checkpoint.hpp"
#include "uaspl/train/fit_model.hpp"

namespace uaspl {

// Returns the checkpoint file of an unfinished run, or of the pre-training that its unit shares;
// nothing if the options name no folder.
std::optional<CheckpointFile> run_checkpoint(const RunKey& key, const ExperimentOptions& options);

// Data set and seed: split, and a network pre-trained on the training rows. The data set must
// outlive it.
class PreparedRun {
 public:
  PreparedRun(const Dataset& data, std::uint32_t seed, const ExperimentOptions& options,
              Observer* observer = nullptr);

  // Trains a clone of the pre-trained network; other methods are not affected. Returns nothing if
  // the observer stopped it.
  std::optional<RunRecord> run(const ChosenMethod& method, Observer* observer = nullptr) const;

  // The common start of the methods.
  const PreparedFit& start() const { return start_; }

 private:
  std::optional<RunRecord> run_without_stages(const ChosenMethod& method, Observer* observer) const;
  RunRecord record_of(const ChosenMethod& method, const Predictions& predictions,
                      std::span<const int> labels) const;

  DatasetId dataset_;
  std::uint32_t seed_;
  ExperimentOptions options_;
  PreparedFit start_;
  bool stopped_ = false;  // the pre-training was stopped
};

}  // namespace uaspl
