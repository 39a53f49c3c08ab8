// Turns the logits of a model's networks into labels, probabilities, evidence and uncertainties. No
// other code interprets logits.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "uaspl/base/matrix.hpp"
#include "uaspl/loss/loss.hpp"

namespace uaspl {

// How the label is chosen where one of two classes is looked for: it is the answer from a
// probability on, whichever of the two is likelier.
struct Decision {
  std::size_t positive = 1;  // place of the class
  double threshold = 0.5;    // 0..1
  bool operator==(const Decision&) const = default;
};

// How logits are read: as evidence for a Dirichlet distribution, or by softmax if there is no
// evidence.
struct Readout {
  std::optional<Evidence> evidence = std::nullopt;
  double prior = 1.0;                               // alpha = evidence + prior
  std::optional<Decision> decision = std::nullopt;  // if none, the likeliest class is the label
};

// The predictions of rows, one after the other. A row for which a network's output is not finite
// has no answer: its label is -1, its vacuity 1, and all else is NaN.
struct Predictions {
  static constexpr int kNoAnswer = -1;
  std::vector<int> labels;     // of one network: the largest logit; of several: the likeliest
                               // class; with a decision: what it says
  Matrix probabilities;        // mean of the Dirichlet distribution, or softmax
  Matrix evidence;             // for each class; no columns for softmax
  std::vector<float> vacuity;  // K prior / S: 1 without any evidence; empty for softmax
  std::vector<float> entropy;  // of the probabilities, in nats
  // Of rows of a table: how many cells the training rows give no way to read (expansion.hpp).
  std::vector<int> unknown = {};

  std::size_t rows() const { return labels.size(); }
};

// Combines the logits that each member has for the same rows: members count equally, by their
// evidence or their probabilities. The evidence of a row can be scaled by a factor above 0 and up
// to 1, so that it says less than the network does: this never changes which class is likeliest.
Predictions read_out(std::span<const Matrix> logits_of_members, const Readout& readout,
                     std::span<const double> evidence_factors = {});
Predictions read_out(const Matrix& logits, const Readout& readout,
                     std::span<const double> evidence_factors = {});

// Makes predictions of probabilities with an amount of evidence for them: alpha_k = 1 + amount *
// known_i
// * p_k, whose likeliest class is that of p. `known` may be empty: 1 for all rows.
Predictions read_out_probabilities(const DoubleMatrix& probabilities, double amount,
                                   std::span<const double> known = {});

// Takes away what is said of a row, which then has no answer.
void take_answer(Predictions& predictions, std::size_t row);

// Chooses the labels anew, from the probabilities. Throws if there are not two classes.
void decide(Predictions& predictions, const Decision& decision);

// Adds rows to the end.
void append(Predictions& to, const Predictions& more);

// Returns how unsure single outputs are, 0..1: the vacuity, or entropy / ln K of a softmax.
std::vector<float> uncertainties(const Matrix& logits, const Readout& readout);

}  // namespace uaspl
