// Fits a forest, a tree a task, see fit_forest.hpp.
#include "uaspl/forest/fit_forest.hpp"

#include <fmt/format.h>

#include <atomic>
#include <cmath>
#include <memory>
#include <numeric>
#include <utility>

#include "uaspl/base/error.hpp"
#include "uaspl/forest/bin_rows.hpp"
#include "uaspl/forest/grow_tree.hpp"

namespace uaspl {
namespace {

// Sums of squares of such weights neither overflow nor lose the small ones altogether.
constexpr float kLeastWeight = 1e-6F;
constexpr float kMostWeight = 1e6F;

void check_options(const ForestOptions& options) {
  if (options.trees < 1 || options.trees > kMostTrees)
    throw Error(fmt::format("a forest of {} trees; expected 1 to {}", options.trees, kMostTrees));
  if (options.min_leaf < 1 || options.bin_rows < 1)
    throw Error("the leaves and bins of a forest must have at least one row");
}

void check_data(const ForestData& data, std::span<const int> rows) {
  const std::size_t all = data.table.rows();
  if (data.columns.size() != data.table.cols() || data.columns.empty() ||
      data.columns.size() > TreeNode::kMostColumns)
    throw Error(fmt::format("a forest for {} columns, described as {}; expected 1 to {}",
                            data.table.cols(), data.columns.size(), TreeNode::kMostColumns));
  if (data.classes < 1 || data.classes > kMostForestClasses)
    throw Error(
        fmt::format("a forest for {} classes; expected 1 to {}", data.classes, kMostForestClasses));
  if (data.labels.size() != all || (!data.weights.empty() && data.weights.size() != all))
    throw Error(fmt::format("{} labels and {} weights for {} rows", data.labels.size(),
                            data.weights.size(), all));
  std::vector<bool> seen(all, false);
  for (const int row : rows) {
    const auto i = static_cast<std::size_t>(row);
    if (row < 0 || i >= all) throw Error(fmt::format("no row {} in a table of {}", row, all));
    if (seen[i]) throw Error(fmt::format("row {} comes twice; a weight of 2 says the same", row));
    seen[i] = true;
    if (data.labels[i] < 0 || static_cast<std::size_t>(data.labels[i]) >= data.classes)
      throw Error(fmt::format("row {}: class {} of {}", row, data.labels[i], data.classes));
    const float weight = data.weights.empty() ? 1.0F : data.weights[i];
    if (weight != 0.0F && !(weight >= kLeastWeight && weight <= kMostWeight))
      throw Error(fmt::format("row {}: a weight of {}; expected 0 or {:g} to {:g}", row, weight,
                              kLeastWeight, kMostWeight));
  }
}

// Which rows each tree has drawn, a bit each.
class Bags {
 public:
  Bags(std::size_t trees, std::size_t rows) : words_((rows + 63) / 64), bits_(trees * words_, 0) {}
  void insert(std::size_t tree, std::size_t row) {
    bits_[tree * words_ + row / 64] |= std::uint64_t{1} << (row % 64);
  }
  bool has(std::size_t tree, std::size_t row) const {
    return (bits_[tree * words_ + row / 64] >> (row % 64) & 1U) != 0;
  }

 private:
  std::size_t words_;
  std::vector<std::uint64_t> bits_;
};

struct Fit {
  Fit(const ForestData& fit_data, std::vector<int> fit_rows, const ForestOptions& fit_options,
      Workers& fit_workers)
      : data(fit_data),
        rows(std::move(fit_rows)),
        options(fit_options),
        workers(fit_workers),
        binned(bin_rows(data.table, data.columns, rows, options.bin_rows, workers)),
        bags(options.kind == ForestKind::kRandom ? options.trees : 0, rows.size()),
        trees(options.trees) {
    tree_options.columns =
        options.columns > 0
            ? options.columns
            : static_cast<std::size_t>(std::sqrt(static_cast<double>(data.columns.size())));
    tree_options.min_leaf = options.min_leaf;
    tree_options.max_depth = options.max_depth;
    tree_options.one_cut = options.kind == ForestKind::kExtremelyRandom;
  }

  // The rows of a tree: all of them, or as many drawn with replacement.
  void draw_rows(std::size_t tree, std::vector<int>& times, std::vector<TreeRow>& drawn) {
    const bool draws = options.kind == ForestKind::kRandom;
    times.assign(rows.size(), draws ? 0 : 1);
    if (draws) {
      Stream stream(options.seed, "forest rows", tree);
      for (std::size_t i = 0; i < rows.size(); ++i) ++times[stream.below(rows.size())];
    }
    drawn.clear();
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (times[i] == 0) continue;
      const auto row = static_cast<std::size_t>(rows[i]);
      const double weight = data.weights.empty() ? 1.0 : static_cast<double>(data.weights[row]);
      drawn.push_back({static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(data.labels[row]),
                       weight * times[i]});
      if (draws) bags.insert(tree, i);
    }
  }

  // Returns false if it was stopped.
  bool grow() {
    struct Scratch {
      TreeGrower grower;
      std::vector<int> times;
      std::vector<TreeRow> rows;
    };
    std::vector<std::unique_ptr<Scratch>> scratch(workers.size());
    std::atomic<bool> stopped{false};
    workers.run(options.trees, [&](std::size_t t, std::size_t worker) {
      if (stopped || (options.stop && options.stop())) {
        stopped = true;
        return;
      }
      if (!scratch[worker])
        scratch[worker] = std::make_unique<Scratch>(
            Scratch{TreeGrower(binned, data.classes, tree_options), {}, {}});
      Scratch& mine = *scratch[worker];
      draw_rows(t, mine.times, mine.rows);
      Stream stream(options.seed, "forest tree", t);
      trees[t] = mine.grower.grow(mine.rows, stream);
    });
    return !stopped;
  }

  const ForestData& data;
  std::vector<int> rows;
  const ForestOptions& options;
  Workers& workers;
  BinnedRows binned;
  TreeOptions tree_options;
  Bags bags;
  std::vector<Tree> trees;
};

std::vector<int> rows_with_weight(const ForestData& data, std::span<const int> rows) {
  std::vector<int> kept;
  for (const int row : rows)
    if (data.weights.empty() || data.weights[static_cast<std::size_t>(row)] > 0.0F)
      kept.push_back(row);
  return kept;
}

double log_loss(const ForestOpinions& opinions, std::span<const int> labels, double scale) {
  double sum = 0.0;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const double amount = scale * static_cast<double>(opinions.amounts[i]);
    const auto p =
        static_cast<double>(opinions.probabilities(i, static_cast<std::size_t>(labels[i])));
    const auto classes = static_cast<double>(opinions.probabilities.cols());
    if (amount > 0.0) sum -= std::log((1.0 + amount * p) / (classes + amount));
  }
  return sum;
}

}  // namespace

double best_evidence_scale(const ForestOpinions& opinions, std::span<const int> labels) {
  // Golden sections of the scale's logarithm: the loss falls, then rises.
  const double golden = (std::sqrt(5.0) - 1.0) / 2.0;
  const auto loss = [&](double x) { return log_loss(opinions, labels, std::exp(x)); };
  double low = std::log(1e-2);
  double high = std::log(1e4);
  double a = high - golden * (high - low);
  double b = low + golden * (high - low);
  double at_a = loss(a);
  double at_b = loss(b);
  for (int i = 0; i < 40; ++i) {
    if (at_a <= at_b) {
      high = std::exchange(b, a);
      at_b = at_a;
      at_a = loss(a = high - golden * (high - low));
    } else {
      low = std::exchange(a, b);
      at_a = at_b;
      at_b = loss(b = low + golden * (high - low));
    }
  }
  return std::exp(0.5 * (low + high));
}

std::optional<FittedForest> fit_forest(const ForestData& data, std::span<const int> rows,
                                       const ForestOptions& options, Workers& workers) {
  check_options(options);
  check_data(data, rows);
  Fit fit(data, rows_with_weight(data, rows), options, workers);
  if (fit.rows.empty()) throw Error("a forest cannot be fitted without rows");
  if (!fit.grow()) return std::nullopt;
  FittedForest fitted{Forest(fit.binned.columns, data.classes, std::move(fit.trees)), {}};
  if (options.kind == ForestKind::kRandom) {
    // Rows without weight are in no bag.
    std::vector<int> place(data.table.rows(), -1);
    for (std::size_t i = 0; i < fit.rows.size(); ++i)
      place[static_cast<std::size_t>(fit.rows[i])] = static_cast<int>(i);
    const auto not_drawn = [&](std::size_t tree, std::size_t row) {
      return place[row] < 0 || !fit.bags.has(tree, static_cast<std::size_t>(place[row]));
    };
    fitted.out_of_bag = fitted.forest.predict(data.table, rows, not_drawn, &workers);
  }
  return fitted;
}

}  // namespace uaspl
