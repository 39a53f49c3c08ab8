// A method decides which rows enter a stage, with which weights, and which loss they are trained
// on.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "uaspl/base/matrix.hpp"
#include "uaspl/loss/loss.hpp"
#include "uaspl/net/network.hpp"

namespace uaspl {

// The rows that a network is trained on; positions 0..n-1 in here are what methods speak of.
struct TrainingSet {
  std::span<const int> rows;    // in the data that the network is bound to
  std::span<const int> labels;  // of those rows, 0..classes-1
  std::size_t classes;
};

struct Stage {
  int index;     // t = 0..count-1
  int count;     // T
  double share;  // of the training rows that self-paced methods take in
};

// Rows of a stage, by ascending position, and their weights, fixed during the stage.
struct Plan {
  std::vector<int> rows;
  std::vector<float> weights;
};

// What a method may see of the run: read-only, valid at the start of a stage.
class Probe {
 public:
  Probe(const Network& network, const TrainingSet& set) : network_(network), set_(set) {}

  std::size_t rows() const { return set_.rows.size(); }
  std::size_t classes() const { return set_.classes; }
  std::span<const int> labels() const { return set_.labels; }

  // Logits of all training rows under the present weights; computed at the first call.
  const Matrix& logits() const {
    if (!logits_) logits_ = network_.logits({set_.rows});
    return *logits_;
  }

 private:
  const Network& network_;
  const TrainingSet& set_;
  mutable std::optional<Matrix> logits_;
};

class Method {
 public:
  virtual ~Method() = default;
  virtual Loss loss(const Stage& stage) const = 0;
  virtual Plan begin_stage(const Stage& stage, const Probe& probe) = 0;
};

}  // namespace uaspl
