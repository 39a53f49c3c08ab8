// Keeps training rows apart, see meta_split.hpp.
#include "uaspl/train/meta_split.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "uaspl/base/error.hpp"
#include "uaspl/base/pick.hpp"
#include "uaspl/base/rng.hpp"
#include "uaspl/data/split.hpp"

namespace uaspl {
namespace {

Split split_off_of_class(const TrainingSet& set, double fraction, std::size_t of_class,
                         std::uint64_t seed) {
  std::vector<std::size_t> left = meta_counts(set.labels, set.classes, fraction, of_class);
  std::vector<int> order(set.rows.size());
  std::iota(order.begin(), order.end(), 0);
  Stream(seed, "meta rows").shuffle(order);
  Split split;
  for (const int position : order) {
    std::size_t& wanted =
        left[static_cast<std::size_t>(set.labels[static_cast<std::size_t>(position)])];
    (wanted > 0 ? split.test : split.train).push_back(position);
    if (wanted > 0) --wanted;
  }
  std::ranges::sort(split.train);
  return split;
}

}  // namespace

std::vector<std::size_t> meta_counts(std::span<const int> labels, std::size_t classes,
                                     double fraction, std::size_t of_class) {
  std::vector<std::size_t> counts(classes);
  for (const int label : labels) ++counts[static_cast<std::size_t>(label)];
  for (std::size_t& count : counts)
    count = std::min(of_class, static_cast<std::size_t>(fraction * static_cast<double>(count)));
  return counts;
}

MetaSplit::MetaSplit(const TrainingSet& set, double fraction, std::size_t of_class,
                     std::uint64_t seed)
    : set_(set) {
  if (fraction <= 0.0) return;
  const Split split =
      of_class > 0 ? split_off_of_class(set, fraction, of_class, seed)
                   : train_test_split(set.rows.size(), fraction, static_cast<std::uint32_t>(seed));
  if (split.test.empty())
    throw Error(fmt::format("no class has the {} training rows of which one can be kept apart",
                            std::ceil(1.0 / fraction)));
  rows_ = pick(set.rows, split.train);
  labels_ = pick(set.labels, split.train);
  meta_rows_ = pick(set.rows, split.test);
  meta_labels_ = pick(set.labels, split.test);
  for (const int position : split.train)
    if (!set.weights.empty()) weights_.push_back(set.weights[static_cast<std::size_t>(position)]);
  for (const int position : split.test)
    if (!set.weights.empty())
      meta_weights_.push_back(set.weights[static_cast<std::size_t>(position)]);
  if (set.pretraining) history_ = set.pretraining->subset(split.train);
  set_ = {.inputs = set.inputs,
          .rows = rows_,
          .labels = labels_,
          .classes = set.classes,
          .pretraining = set.pretraining ? &history_ : nullptr,
          .memo = nullptr,  // the results in it belong to other rows
          .meta_rows = meta_rows_,
          .meta_labels = meta_labels_,
          .weights = weights_,
          .meta_weights = meta_weights_};
}

}  // namespace uaspl
