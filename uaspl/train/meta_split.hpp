// Training rows, a part of them kept apart where a method judges the others by it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "uaspl/method/probe.hpp"

namespace uaspl {

// How many of each class are kept apart: so many, but no larger a share of it than the fraction.
std::vector<std::size_t> meta_counts(std::span<const int> labels, std::size_t classes,
                                     double fraction, std::size_t of_class);

class MetaSplit {
 public:
  // As train_test_split(test_size=fraction, random_state=seed) splits, or so many of each class;
  // with a fraction of 0 the set stays whole.
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
  PredictionHistory history_;
};

}  // namespace uaspl
