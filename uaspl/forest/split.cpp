// Compares the splits of a node, see split.hpp.
#include "uaspl/forest/split.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>

namespace uaspl {

SplitSearch::SplitSearch(const BinnedRows& rows, std::size_t classes, std::size_t min_leaf,
                         bool one_cut)
    : rows_(rows),
      classes_(classes),
      min_leaf_(min_leaf),
      one_cut_(one_cut),
      weights_(kBins * classes, 0.0) {}

void SplitSearch::begin(std::span<const TreeRow> rows, std::span<const double> weights) {
  node_rows_ = rows;
  node_.weights.assign(weights.begin(), weights.end());
  node_.weight = 0.0;
  node_.squares = 0.0;
  node_.rows = rows.size();
  for (const double weight : weights) {
    node_.weight += weight;
    node_.squares += weight * weight;
  }
  best_ = {};
}

bool SplitSearch::look(std::size_t column, Stream& stream) {
  fill(rows_.column(column));
  const bool choice = bins_.size() > 1;
  if (choice) {
    if (rows_.columns[column].column.is_category())
      look_at_category(column, stream);
    else
      look_at_numbers(column, stream);
  }
  clear();
  return choice;
}

void SplitSearch::fill(std::span<const std::uint8_t> cells) {
  for (const TreeRow& row : node_rows_) {
    const std::size_t bin = cells[row.row];
    there_[bin >> 6U] |= std::uint64_t{1} << (bin & 63U);
    ++bin_rows_[bin];
    weights_[bin * classes_ + row.label] += row.weight;
  }
  bins_.clear();
  for (std::size_t word = 0; word < there_.size(); ++word)
    for (std::uint64_t left = there_[word]; left != 0; left &= left - 1)
      bins_.push_back(word * 64 + static_cast<std::size_t>(std::countr_zero(left)));
}

void SplitSearch::clear() {
  for (const std::size_t bin : bins_) {
    bin_rows_[bin] = 0;
    std::fill_n(weights_.begin() + static_cast<std::ptrdiff_t>(bin * classes_), classes_, 0.0);
  }
  there_.fill(0);
}

void SplitSearch::move_left(std::size_t bin) {
  const double* const weights = weights_.data() + bin * classes_;
  for (std::size_t k = 0; k < classes_; ++k) {
    const double moved = weights[k];
    left_.squares += moved * (2.0 * left_.weights[k] + moved);
    right_.squares -= moved * (2.0 * right_.weights[k] - moved);
    left_.weights[k] += moved;
    right_.weights[k] -= moved;
    left_.weight += moved;
    right_.weight -= moved;
  }
  left_.rows += bin_rows_[bin];
  right_.rows -= bin_rows_[bin];
}

// Moves one bin after the other to the left side, and returns the best place to stop.
SplitSearch::Cut SplitSearch::sweep() {
  left_.weights.assign(classes_, 0.0);
  left_.weight = left_.squares = 0.0;
  left_.rows = 0;
  right_ = node_;
  Cut best;
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    move_left(steps_[i].bin);
    if (right_.rows < min_leaf_) break;
    if (!steps_[i].compare || left_.rows < min_leaf_) continue;
    const double score = left_.squares / left_.weight + right_.squares / right_.weight;
    if (score > best.score) best = {score, i + 1, left_.rows};
  }
  return best;
}

void SplitSearch::look_at_numbers(std::size_t column, Stream& stream) {
  const bool missing = bins_.back() == kMissingBin;
  std::optional<std::size_t> only;
  if (one_cut_) {
    const std::size_t first = bins_.front();
    const std::size_t last = bins_[bins_.size() - (missing ? 2 : 1)];
    only = first;
    static const bool by_value = std::getenv("BYVALUE") != nullptr;
    if (last > first + 1 && by_value) {
      const auto& e = rows_.columns[column].edges;
      const double v = e[first] + stream.uniform() * (e[last - 1] - e[first]);
      *only = std::min<std::size_t>(last - 1, std::lower_bound(e.begin(), e.end(), v) - e.begin());
    } else if (last > first)
      *only += stream.below(last - first);
  }
  sweep_numbers(column, false, only);
  if (missing) sweep_numbers(column, true, only);
}

// Missing cells are the last or the first to go left.
void SplitSearch::sweep_numbers(std::size_t column, bool missing_left,
                                std::optional<std::size_t> only) {
  steps_.clear();
  const bool missing = bins_.back() == kMissingBin;
  if (missing_left) steps_.push_back({kMissingBin, 0.0, false});
  for (std::size_t i = 0; i + (missing ? 1 : 0) < bins_.size(); ++i) {
    const bool last_below = only && bins_[i] <= *only && (i + 1 == bins_.size() || bins_[i + 1] > *only);
    steps_.push_back({bins_[i], 0.0, !only || last_below});
  }
  const Cut cut = sweep();
  if (!(cut.score > best_.score)) return;
  best_ = {};
  best_.score = cut.score;
  best_.column = column;
  const std::size_t last = steps_[cut.steps - 1].bin;
  const bool all_numbers = cut.steps == steps_.size();
  best_.threshold = only          ? std::min(*only, rows_.columns[column].edges.size())
                    : all_numbers ? rows_.columns[column].edges.size()
                                  : (last + steps_[cut.steps].bin) / 2;
  best_.missing_left = missing ? missing_left : 2 * cut.left_rows >= node_.rows;
}

void SplitSearch::look_at_category(std::size_t column, Stream& stream) {
  if (one_cut_)
    draw_subset(stream);
  else
    order_levels(stream);
  const Cut cut = sweep();
  if (!(cut.score > best_.score)) return;
  best_ = {};
  best_.score = cut.score;
  best_.column = column;
  best_.of_category = true;
  const bool others_left = 2 * cut.left_rows >= node_.rows;
  if (others_left) best_.left.words.fill(~std::uint64_t{0});
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    const auto bin = static_cast<std::uint8_t>(steps_[i].bin);
    if (i < cut.steps)
      best_.left.insert(bin);
    else
      best_.left.erase(bin);
  }
}

// Orders the levels by the share of a class, which for two classes is all that needs to be
// compared; of several, the class is that of a row that is drawn. Levels that are rarer than a leaf
// share their shares and stay together.
void SplitSearch::order_levels(Stream& stream) {
  const std::size_t klass =
      classes_ == 2 ? 1 : node_rows_[stream.below(node_rows_.size())].label;
  const auto weight_of = [&](std::size_t bin) {
    double weight = 0.0;
    for (std::size_t k = 0; k < classes_; ++k) weight += weights_[bin * classes_ + k];
    return weight;
  };
  double rare = 0.0;
  double rare_of_class = 0.0;
  for (const std::size_t bin : bins_) {
    if (bin_rows_[bin] >= min_leaf_) continue;
    rare += weight_of(bin);
    rare_of_class += weights_[bin * classes_ + klass];
  }
  steps_.clear();
  for (const std::size_t bin : bins_) {
    const double share = bin_rows_[bin] >= min_leaf_
                             ? weights_[bin * classes_ + klass] / weight_of(bin)
                             : rare_of_class / rare;
    steps_.push_back({bin, share, true});
  }
  std::ranges::stable_sort(steps_, {}, &Step::key);
  for (std::size_t i = 0; i + 1 < steps_.size(); ++i)
    steps_[i].compare = steps_[i].key != steps_[i + 1].key;
}

// Draws for each level whether it goes left: some do, some do not.
void SplitSearch::draw_subset(Stream& stream) {
  steps_.clear();
  for (const std::size_t bin : bins_) steps_.push_back({bin, 0.0, false});
  std::size_t left = 0;
  for (std::size_t i = 0; i < steps_.size(); ++i)
    if ((stream.word() & 1U) != 0) std::swap(steps_[left++], steps_[i]);
  if (left == 0) std::swap(steps_[left++], steps_[stream.below(steps_.size())]);
  if (left == steps_.size()) std::swap(steps_[--left], steps_[stream.below(steps_.size())]);
  steps_[left - 1].compare = true;
}

}  // namespace uaspl
