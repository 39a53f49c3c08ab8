// Chooses what a committee listens to: votes for candidates, by what they said of rows that they
// had not been trained on.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace uaspl {

// What a candidate gave to the label of each row.
struct Candidate {
  std::vector<float> label_probability;
  std::size_t expert = 0;  // candidates of one expert are moments of the same training
};

struct Votes {
  std::vector<int> counts;  // of each candidate
  double loss = 0.0;        // mean log-loss of the mean by votes
};

// Gives a vote to each expert's best candidate, then `further` votes one after the other, each to
// the candidate that lowers the log-loss of the mean the most, and takes back those after the
// lowest one. Ties go to the first candidate. Probabilities below 1e-4 count as that much.
// `weights` of the rows may be empty: 1 each.
Votes greedy_votes(std::span<const Candidate> candidates, std::span<const float> weights = {},
                   int further = 20);

}  // namespace uaspl
