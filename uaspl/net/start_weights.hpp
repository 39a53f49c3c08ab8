// Reads the weights that a training begins with, from a file of any program that writes
// safetensors.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "uaspl/net/network.hpp"

namespace uaspl {

struct StartWeights {
  std::string file;    // for errors
  std::string sha256;  // of the file
  State weights;       // by PyTorch's names
};

// Reads a safetensors file of a network's weights, or a model file with one network. PyTorch's
// counts of batches (num_batches_tracked) are passed over. Throws, with what was expected, if it is
// a file of another kind, or has values that are not finite.
StartWeights read_start_weights(std::string_view bytes, const std::string& name);
std::shared_ptr<const StartWeights> load_start_weights(const std::filesystem::path& file);

// Gives the weights to a network; throws if a tensor is missing, too many or of another shape.
void begin_with(const StartWeights& start, Network& network);

}  // namespace uaspl
