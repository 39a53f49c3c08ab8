// Makes the checkpoints of a fit, and lets a fit go on from one.
#pragma once

#include <optional>

#include "uaspl/train/checkpoint.hpp"
#include "uaspl/train/passes.hpp"

namespace uaspl {

// Saves the momentum too if the stages go on with it.
void save_pretraining(const Pretraining& pretraining, const Network& network, bool with_momentum,
                      const CheckpointFile& file);
// Returns nothing if there is no file; otherwise the network gets what was saved of it.
std::optional<Pretraining> load_pretraining(const CheckpointFile& file, Network& network,
                                            std::size_t rows);

// Makes a checkpoint after so many stages. The history is that of the pre-training, if there was
// one.
Checkpoint standing(const Fit& fit, int stages, const FitReport& report,
                    const PredictionHistory* pretraining);
// Loads the checkpoint, if there is one, and returns the stage to go on with.
int resume(const Fit& fit, const CheckpointFile& file, FitReport& report);

}  // namespace uaspl
