// The identity of a run, built here and nowhere else.
#pragma once

#include <cstdint>
#include <string>

#include "uaspl/data/dataset.hpp"
#include "uaspl/study/protocol.hpp"
#include "uaspl/study/record.hpp"

namespace uaspl {

// A data set as runs are known by: its name, and the SHA-256 of its content.
struct DatasetId {
  std::string name;
  std::string content;
};
inline DatasetId dataset_id(const Dataset& data) { return {data.name, content_sha256(data)}; }

// What a run of this method is known by. Options that suit a known image set are those that it runs
// with, where the user said nothing else.
RunKey run_key(const DatasetId& dataset, const ChosenMethod& method,
               const ExperimentOptions& options, std::uint32_t seed);

// What the pre-training that all methods of a unit share is known by.
RunKey pretraining_key(const DatasetId& dataset, const ExperimentOptions& options,
                       std::uint32_t seed);

// All that decides the result, as a text: what a checkpoint of the run must be of.
std::string run_text(const RunKey& key);

}  // namespace uaspl
