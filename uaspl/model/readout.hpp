// The readout of a model: from the logits of its networks to labels, probabilities, evidence and
// how sure they are. Nobody else reads logits.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "uaspl/base/matrix.hpp"
#include "uaspl/loss/loss.hpp"

namespace uaspl {

// How logits are read: as evidence for a Dirichlet distribution, or by softmax where there is none.
struct Readout {
  std::optional<Evidence> evidence = std::nullopt;
};

// What is said of rows, one after the other.
struct Predictions {
  std::vector<int> labels;     // of one network, the largest logit; of several, the likeliest class
  Matrix probabilities;        // mean of the Dirichlet distribution, or softmax
  Matrix evidence;             // for each class; no columns for softmax
  std::vector<float> vacuity;  // K / S: 1 without any evidence; empty for softmax
  std::vector<float> entropy;  // of the probabilities, in nats

  std::size_t rows() const { return labels.size(); }
};

// Of the same rows by each member: several share equally in evidence, or in probability.
Predictions read_out(std::span<const Matrix> logits_of_members, const Readout& readout);
Predictions read_out(const Matrix& logits, const Readout& readout);

// Adds rows to the end.
void append(Predictions& to, const Predictions& more);

// How unsure single outputs are, 0..1: vacuity, or entropy / ln K of a softmax.
std::vector<float> uncertainties(const Matrix& logits, const Readout& readout);

}  // namespace uaspl
