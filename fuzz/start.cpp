// Any bytes as weights to begin with: those of a small network, which it then has, or an error.
#include <cmath>

#include "fuzz/support.hpp"
#include "uaspl/base/error.hpp"
#include "uaspl/net/mlp/mlp.hpp"
#include "uaspl/net/start_weights.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace uaspl;
  try {
    const StartWeights start = read_start_weights(fuzz::text_of(bytes, size), "fuzz");
    for (const auto& [name, tensor] : start.weights) {
      std::size_t count = 1;
      for (const std::size_t side : tensor.shape) count *= side;
      if (tensor.values.size() != count) std::abort();
      for (const float value : tensor.values)
        if (!std::isfinite(value)) std::abort();
    }
    Mlp network({.inputs = 2, .hidden = {2}, .classes = 2}, 1);
    begin_with(start, network);
    for (const auto& [name, tensor] : network.save())
      if (tensor.values != start.weights.at(name).values) std::abort();
  } catch (const Error&) {
  }
  return 0;
}
