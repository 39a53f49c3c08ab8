// A committee: networks with several encodings, trained on stratified folds, and forests, which
// vote by what they say of rows that they were not trained on.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "uaspl/data/table/rich_scaling.hpp"
#include "uaspl/forest/fit_forest.hpp"
#include "uaspl/method/registry.hpp"
#include "uaspl/net/network.hpp"
#include "uaspl/trust/novelty.hpp"
#include "uaspl/trust/tempering.hpp"

namespace uaspl {

// A kind of network in a committee: how it sees the rows, and how long and how fast it learns.
struct NetworkExpert {
  Encoding encoding = Encoding::kRobust;
  float rate = 1e-2F;
  float decay = 0.05F;
  float dropout = 0.2F;
  int steps = 1000;  // at least; more where that is fewer than 30 passes
};

struct CommitteeOptions {
  std::vector<NetworkExpert> networks = {{Encoding::kRobust, 1e-2F, 0.05F, 0.2F, 1000},
                                         {Encoding::kPiecewise, 5e-3F, 0.1F, 0.3F, 600},
                                         {Encoding::kWhitened, 5e-3F, 0.1F, 0.3F, 600}};
  std::string method = "uaspl_ce";  // by which the networks are trained
  std::vector<std::size_t> hidden = {128, 128};
  std::vector<ForestKind> forests = {ForestKind::kRandom, ForestKind::kExtremelyRandom};
  std::size_t trees = 200;  // of each forest
  std::size_t folds = 0;    // 0: 8 for up to 600 rows, else 5
  // At these shares of a training, a network is a candidate for votes.
  std::vector<double> moments = {1.0 / 32, 1.0 / 16, 1.0 / 8, 1.0 / 4,
                                 3.0 / 8,  1.0 / 2,  3.0 / 4, 1.0};
  int further_votes = 20;
  std::uint32_t seed = 2025;
  std::size_t threads = 1;
  std::function<bool()> stop = {};                 // asked often, from any thread
  std::function<void(double done)> progress = {};  // 0..1, from any thread, one at a time
};

// The rows that a committee learns from.
struct CommitteeRows {
  // Returns the inputs that the columns of a row expand to, not scaled, in `room` or where they
  // are.
  std::function<std::span<const double>(std::size_t row, std::vector<double>& room)> inputs;
  std::size_t width;               // number of inputs
  const std::vector<bool>& level;  // of each input: whether it stands for a level of a category
  std::vector<std::pair<std::size_t, std::size_t>> categories;  // inputs of each category's levels
  const DoubleMatrix& cells;                                    // as a forest reads them
  std::span<const ForestColumn> columns;
  std::span<const int> labels;
  std::size_t classes;
  std::span<const float> weights = {};  // mean 1; empty: 1 each
};

// What a committee says of rows by those members that were not trained on them.
struct OutOfFold {
  std::vector<int> rows;  // all of them, or a sample of many
  std::vector<int> fold;  // that each of these was in
  DoubleMatrix probabilities;
  std::vector<double> known;  // the factor on their evidence
};

struct CommitteeMember {
  std::size_t expert = 0;  // place in the options' networks
  State weights;
  int votes = 1;
};

struct CommitteeForest {
  Forest forest;
  int votes = 1;
};

struct Committee {
  std::vector<RichScaling> scalings;  // of each kind of network
  std::vector<CommitteeMember> members;
  std::vector<CommitteeForest> forests;
  std::size_t folds = 1;  // each vote for a network is shared by so many members
  Tempering tempering;
  std::optional<Novelty> novelty;
  OutOfFold out_of_fold;
};

// Returns nothing if it was stopped. The same bits for any number of threads.
std::optional<Committee> fit_committee(const CommitteeRows& rows, const CommitteeOptions& options);

// Deals the rows of each class to folds, drawn by the seed; sizes differ by one at most.
std::vector<int> stratified_folds(std::span<const int> labels, std::size_t classes,
                                  std::size_t folds, std::uint64_t seed);

}  // namespace uaspl
