// Keeps a part of the training rows apart, for methods that judge the others by it (the meta rows).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "uaspl/method/probe.hpp"

namespace uaspl {

// Returns how many rows of each class are kept apart: `of_class`, but no larger a share of the
// class than the fraction.
std::vector<std::size_t> meta_counts(std::span<const int> labels, std::size_t classes,
                                     double fraction, std::size_t of_class);

class MetaSplit {
 public:
  // Splits as train_test_split(test_size=fraction, random_state=seed), or takes `of_class` rows of
  // each class; with a fraction of 0 the set stays whole.
  MetaSplit(const TrainingSet& set, double fraction, std::size_t of_class, std::uint64_t seed);
  MetaSplit(const MetaSplit&) = delete;
  MetaSplit& operator=(const MetaSplit&) = delete;

  const TrainingSet& set() const { return set_; }

 private:
  TrainingSet set_;
  std::vector<int> rows_;
  std::vector<int> labels_;
  std::vector<int> meta_rows_;
  std::vector<int> meta_labels_;
  std::vector<float> weights_;
  std::vector<float> meta_weights_;
  PredictionHistory history_;
};

}  // namespace uaspl
