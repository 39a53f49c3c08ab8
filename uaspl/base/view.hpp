// Defines how rows are seen: as they are, or changed at random for training (augmented).
#pragma once

#include <cstdint>

namespace uaspl {

// The random change of a row depends only on the seed and on the row: scoring, judging and training
// see the same pixels if they use the same view, in whatever batches.
struct View {
  bool augmented = false;
  std::uint64_t seed = 0;
};

}  // namespace uaspl
