// Compares the splits of a node, see split.hpp.
#include "uaspl/forest/split.hpp"

#include <algorithm>
#include <bit>

namespace uaspl {
namespace {

constexpr std::size_t kTurns = 4;

}  // namespace

SplitSearch::SplitSearch(const BinnedRows& rows, std::size_t classes, std::size_t min_leaf,
                         bool one_cut)
    : rows_(rows),
      classes_(classes),
      min_leaf_(min_leaf),
      one_cut_(one_cut),
      weights_(kBins * classes, 0.0) {}

void SplitSearch::Side::clear(std::size_t classes) {
  weights.assign(classes, 0.0);
  weight = squares = shared = 0.0;
  rows = 0;
}

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
  if (rows_.columns[column].column.is_category()) return look_at_category(column, stream);
  return one_cut_ ? look_at_one_cut(column, stream) : look_at_all_cuts(column);
}

void SplitSearch::fill(std::span<const std::uint8_t> cells) {
  // Members are copied: the compiler cannot know that what is written is none of them.
  double* const weights = weights_.data();
  const std::size_t classes = classes_;
  std::array<std::uint64_t, kBins / 64> there{};
  for (const TreeRow& row : node_rows_) {
    const std::size_t bin = cells[row.row];
    there[bin >> 6U] |= std::uint64_t{1} << (bin & 63U);
    ++bin_rows_[bin];
    weights[bin * classes + row.label] += row.weight;
  }
  bins_.clear();
  for (std::size_t word = 0; word < there.size(); ++word)
    for (std::uint64_t left = there[word]; left != 0; left &= left - 1)
      bins_.push_back(word * 64 + static_cast<std::size_t>(std::countr_zero(left)));
}

void SplitSearch::forget() {
  for (const std::size_t bin : bins_) {
    bin_rows_[bin] = 0;
    std::fill_n(weights_.begin() + static_cast<std::ptrdiff_t>(bin * classes_), classes_, 0.0);
  }
}

void SplitSearch::move_left(std::size_t bin) {
  const double* const weights = weights_.data() + bin * classes_;
  for (std::size_t k = 0; k < classes_; ++k) {
    const double moved = weights[k];
    left_.squares += moved * (2.0 * left_.weights[k] + moved);
    left_.shared += moved * node_.weights[k];
    left_.weights[k] += moved;
    left_.weight += moved;
  }
  left_.rows += bin_rows_[bin];
}

// What the left side lacks is on the right.
double SplitSearch::score() const {
  const double squares = node_.squares - 2.0 * left_.shared + left_.squares;
  return left_.squares / left_.weight + squares / (node_.weight - left_.weight);
}

// Moves one bin after the other to the left side, and returns the best place to stop.
SplitSearch::Cut SplitSearch::sweep() {
  left_.clear(classes_);
  Cut best;
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    move_left(steps_[i].bin);
    if (node_.rows - left_.rows < min_leaf_) break;
    if (!steps_[i].compare || left_.rows < min_leaf_) continue;
    const double here = score();
    if (here > best.score) best = {here, i + 1, left_.rows};
  }
  return best;
}

void SplitSearch::take(std::size_t column, double score, std::size_t threshold, bool missing_left) {
  best_ = {};
  best_.score = score;
  best_.column = column;
  best_.threshold = threshold;
  best_.missing_left = missing_left;
}

bool SplitSearch::look_at_all_cuts(std::size_t column) {
  fill(rows_.column(column));
  const bool choice = bins_.size() > 1;
  if (choice) {
    sweep_numbers(column, false);
    if (bins_.back() == kMissingBin) sweep_numbers(column, true);
  }
  forget();
  return choice;
}

// Missing cells stay on the right, or are the first to go left.
void SplitSearch::sweep_numbers(std::size_t column, bool missing_left) {
  const bool missing = bins_.back() == kMissingBin;
  steps_.clear();
  if (missing_left) steps_.push_back({kMissingBin, 0.0, false});
  for (std::size_t i = 0; i + (missing ? 1 : 0) < bins_.size(); ++i)
    steps_.push_back({bins_[i], 0.0, true});
  const Cut cut = sweep();
  if (!(cut.score > best_.score)) return;
  const std::size_t threshold = cut.steps == steps_.size()
                                    ? rows_.columns[column].edges.size()
                                    : (steps_[cut.steps - 1].bin + steps_[cut.steps].bin) / 2;
  take(column, cut.score, threshold, missing ? missing_left : 2 * cut.left_rows >= node_.rows);
}

// Draws a threshold between the lowest and the highest bin that is there.
bool SplitSearch::look_at_one_cut(std::size_t column, Stream& stream) {
  const std::span<const std::uint8_t> cells = rows_.column(column);
  cells_.resize(std::max(cells_.size(), node_rows_.size()));
  std::uint8_t first = kMissingBin;
  std::uint8_t last = 0;
  bool missing = false;
  std::uint8_t* kept = cells_.data();
  const std::span<const TreeRow> rows = node_rows_;
  for (const TreeRow& row : rows) {
    const std::uint8_t bin = cells[row.row];
    *kept++ = bin;
    first = std::min(first, bin);
    last = std::max(last, bin == kMissingBin ? std::uint8_t{0} : bin);
    missing = missing || bin == kMissingBin;
  }
  if (first == kMissingBin || (first == last && !missing)) return false;
  std::size_t threshold = rows_.columns[column].edges.size();  // all numbers against missing cells
  if (first < last) threshold = first + stream.below(last - first);
  cut_at(column, threshold, missing, false);
  if (missing) cut_at(column, threshold, missing, true);
  return true;
}

void SplitSearch::cut_at(std::size_t column, std::size_t threshold, bool missing,
                         bool missing_left) {
  left_.clear(classes_);
  const std::uint32_t one = missing_left ? 1 : 0;
  // Rows take turns in several sums, so that none waits for the sum of the row before it.
  const std::size_t turns = node_.rows >= kTurns * classes_ ? kTurns : 1;
  // Both sides are summed up: no branch, which would be guessed wrong every other time.
  sums_.assign(2 * turns * classes_, 0.0);
  const std::size_t on_the_right = turns * classes_;
  std::size_t right_rows = 0;
  double* const sums = sums_.data();
  const std::uint8_t* const cells = cells_.data();
  const std::size_t classes = classes_;
  const std::span<const TreeRow> rows = node_rows_;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::size_t right = ((cells[i] + one) & 0xffU) > threshold + one ? 1 : 0;
    right_rows += right;
    sums[right * on_the_right + (i & (turns - 1)) * classes + rows[i].label] += rows[i].weight;
  }
  left_.rows = node_.rows - right_rows;
  if (left_.rows < min_leaf_ || right_rows < min_leaf_) return;
  for (std::size_t k = 0; k < classes_; ++k) {
    for (std::size_t turn = 0; turn < turns; ++turn) left_.weights[k] += sums_[turn * classes_ + k];
    left_.weight += left_.weights[k];
    left_.squares += left_.weights[k] * left_.weights[k];
    left_.shared += left_.weights[k] * node_.weights[k];
  }
  const double here = score();
  if (here > best_.score)
    take(column, here, threshold, missing ? missing_left : 2 * left_.rows >= node_.rows);
}

bool SplitSearch::look_at_category(std::size_t column, Stream& stream) {
  fill(rows_.column(column));
  const bool choice = bins_.size() > 1;
  steps_.clear();
  if (choice && one_cut_) draw_subset(stream);
  if (choice && !one_cut_) order_levels(stream);
  const Cut cut = sweep();
  forget();
  if (!(cut.score > best_.score)) return choice;
  take(column, cut.score, 0, false);
  best_.of_category = true;
  if (2 * cut.left_rows >= node_.rows) best_.left.words.fill(~std::uint64_t{0});
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    const auto bin = static_cast<std::uint8_t>(steps_[i].bin);
    if (i < cut.steps)
      best_.left.insert(bin);
    else
      best_.left.erase(bin);
  }
  return choice;
}

// Orders the levels by the share of a class, which for two classes is all that needs to be
// compared; of several, the class is that of a row that is drawn. Levels that are rarer than a leaf
// share their shares and stay together.
void SplitSearch::order_levels(Stream& stream) {
  const std::size_t klass = classes_ == 2 ? 1 : node_rows_[stream.below(node_rows_.size())].label;
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
  for (const std::size_t bin : bins_) steps_.push_back({bin, 0.0, false});
  std::size_t left = 0;
  for (std::size_t i = 0; i < steps_.size(); ++i)
    if ((stream.word() & 1U) != 0) std::swap(steps_[left++], steps_[i]);
  if (left == 0) std::swap(steps_[left++], steps_[stream.below(steps_.size())]);
  if (left == steps_.size()) std::swap(steps_[--left], steps_[stream.below(steps_.size())]);
  steps_[left - 1].compare = true;
}

}  // namespace uaspl
