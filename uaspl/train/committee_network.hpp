// Trains one network of a committee, and keeps what it was like at some moments.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "uaspl/method/registry.hpp"
#include "uaspl/net/inputs.hpp"
#include "uaspl/train/committee.hpp"
#include "uaspl/train/trainer.hpp"

namespace uaspl {

// How long a network is trained on so many rows, and with which batches.
struct Schedule {
  std::size_t batch = 0;
  int passes = 0;       // of all
  int pretraining = 0;  // the first of them: cross-entropy on all rows
  int paced = 0;        // of each of the three stages with the easiest rows of each class

  // The passes make so many steps or more, and are 30 or more where there are not very many rows.
  Schedule(std::size_t rows, int steps);
  Training training(const NetworkExpert& expert, std::uint64_t seed) const;
};

// A network is trained on some rows and judged on others.
struct MemberRows {
  const Inputs& inputs;
  std::span<const int> train;
  std::span<const int> labels;  // of the rows to train on
  std::size_t classes;
  std::span<const int> judged;
  std::span<const float> weights = {};  // of the rows to train on; empty: 1 each
};

struct MomentsOfMember {
  std::vector<State> weights;         // at each moment
  std::vector<Matrix> probabilities;  // of the judged rows
};

// Returns fewer moments if it was stopped.
MomentsOfMember train_member(const MemberRows& rows, const NetworkExpert& expert,
                             const CommitteeOptions& options, const ChosenMethod& method,
                             std::uint64_t seed);

}  // namespace uaspl
