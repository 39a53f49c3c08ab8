// How rows are looked at: as they are, or changed at random as training likes to see them.
#pragma once

#include <cstdint>

namespace uaspl {

// What is drawn for a row depends on the seed and on the row alone: scoring, judging and training
// see the same pixels where they have the same view, whoever looks and in whatever batches.
struct View {
  bool augmented = false;
  std::uint64_t seed = 0;
};

}  // namespace uaspl
