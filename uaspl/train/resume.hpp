// What a fit writes into its checkpoint, and how it goes on from one.
#pragma once

#include <optional>

#include "uaspl/train/checkpoint.hpp"
#include "uaspl/train/passes.hpp"

namespace uaspl {

void save_pretraining(const Pretraining& pretraining, const Network& network,
                      const CheckpointFile& file);
// Nothing where there is no file; otherwise the network has its weights.
std::optional<Pretraining> load_pretraining(const CheckpointFile& file, Network& network,
                                            std::size_t rows);

// After so many stages. The history is that of the pre-training, where there was one.
Checkpoint standing(const Fit& fit, int stages, const FitReport& report,
                    const PredictionHistory* pretraining);
// Returns the stage to go on with.
int resume(const Fit& fit, const CheckpointFile& file, FitReport& report);

}  // namespace uaspl
