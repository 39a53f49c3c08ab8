// Builds the identity of a run; no other code does so.
#pragma once

#include <cstdint>
#include <string>

#include "uaspl/data/dataset.hpp"
#include "uaspl/study/protocol.hpp"
#include "uaspl/study/record.hpp"

namespace uaspl {

// Identifies a data set in runs: its name, and the SHA-256 of its content.
struct DatasetId {
  std::string name;
  std::string content;
};
inline DatasetId dataset_id(const Dataset& data) { return {data.name, content_sha256(data)}; }

// Returns the key of a run of this method. It contains the options that suit a known image set,
// unless the user has set others.
RunKey run_key(const DatasetId& dataset, const ChosenMethod& method,
               const ExperimentOptions& options, std::uint32_t seed);

// Returns the key of the pre-training that all methods of a unit share.
RunKey pretraining_key(const DatasetId& dataset, const ExperimentOptions& options,
                       std::uint32_t seed);

// Returns all that decides the result as a text, which identifies checkpoints of the run.
std::string run_text(const RunKey& key);

}  // namespace uaspl
