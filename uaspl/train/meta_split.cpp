// Keeping training rows apart, see meta_split.hpp.
#include "uaspl/train/meta_split.hpp"

#include "uaspl/data/split.hpp"

namespace uaspl {
namespace {

std::vector<int> pick(std::span<const int> from, std::span<const int> positions) {
  std::vector<int> part;
  part.reserve(positions.size());
  for (const int position : positions) part.push_back(from[static_cast<std::size_t>(position)]);
  return part;
}

}  // namespace

MetaSplit::MetaSplit(const TrainingSet& set, double fraction, std::uint64_t seed) : set_(set) {
  if (fraction <= 0.0) return;
  const Split split = train_test_split(set.rows.size(), fraction, static_cast<std::uint32_t>(seed));
  rows_ = pick(set.rows, split.train);
  labels_ = pick(set.labels, split.train);
  meta_rows_ = pick(set.rows, split.test);
  meta_labels_ = pick(set.labels, split.test);
  if (set.pretraining) history_ = set.pretraining->subset(split.train);
  set_ = {.rows = rows_,
          .labels = labels_,
          .classes = set.classes,
          .pretraining = set.pretraining ? &history_ : nullptr,
          .memo = nullptr,  // what is kept there is of other rows
          .meta_rows = meta_rows_,
          .meta_labels = meta_labels_};
}

}  // namespace uaspl
