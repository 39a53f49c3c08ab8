// A forest on a file of numbers, whose last sixth is kept for testing: seconds to fit it, time to
// ask it, how often it is right, and a fingerprint of what it says.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdio>
#include <exception>
#include <numeric>

#include "bench/support.hpp"
#include "uaspl/base/rng.hpp"
#include "uaspl/data/table/load.hpp"
#include "uaspl/forest/fit_forest.hpp"

namespace {

using namespace uaspl;

// Best seconds of some rounds.
template <typename Work>
double best_seconds(std::size_t rounds, const Work& work) {
  double best = kNever;
  for (std::size_t i = 0; i < rounds; ++i) {
    const auto start = Clock::now();
    work();
    best = std::min(best, seconds_since(start));
  }
  return best;
}

double accuracy(const ForestOpinions& opinions, std::span<const int> rows,
                std::span<const int> labels) {
  double right = 0.0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto p = opinions.probabilities.row(i);
    right += std::ranges::max_element(p) - p.begin() == labels[static_cast<std::size_t>(rows[i])];
  }
  return right / static_cast<double>(rows.size());
}

std::uint64_t fingerprint(const ForestOpinions& opinions) {
  std::uint64_t hash = 0;
  for (const float p : opinions.probabilities.values())
    hash = mix_bits(hash ^ std::bit_cast<std::uint32_t>(p)) + 1;
  for (const float amount : opinions.amounts)
    hash = mix_bits(hash ^ std::bit_cast<std::uint32_t>(amount)) + 1;
  return hash;
}

void run(const Dataset& data, const ForestOptions& options, Workers& workers, std::size_t rounds) {
  const DoubleMatrix& table = data.table().features;
  const std::vector<ForestColumn> columns(table.cols());
  std::vector<int> train(data.rows() - data.rows() / 6);
  std::vector<int> test(data.rows() / 6);
  std::iota(train.begin(), train.end(), 0);
  std::iota(test.begin(), test.end(), static_cast<int>(train.size()));
  const ForestData input{table, columns, data.labels, data.target.classes.size()};
  std::optional<FittedForest> fitted;
  const double fit =
      best_seconds(rounds, [&] { fitted = fit_forest(input, train, options, workers); });
  ForestOpinions opinions;
  const double ask =
      best_seconds(rounds, [&] { opinions = fitted->forest.predict(table, test, {}, nullptr); });
  DoubleMatrix one(1, table.cols());
  std::ranges::copy(table.row(static_cast<std::size_t>(test[0])), one.values().begin());
  constexpr std::size_t kCalls = 200;
  const double alone = best_seconds(rounds, [&] {
    for (std::size_t i = 0; i < kCalls; ++i) fitted->forest.predict(one);
  });
  std::size_t nodes = 0;
  for (const Tree& tree : fitted->forest.trees()) nodes += tree.nodes.size();
  fmt::print(
      "fit_seconds,row_microseconds,alone_microseconds,accuracy,nodes_per_tree,fingerprint\n");
  fmt::print("{:.6f},{:.4f},{:.4f},{:.4f},{},{:016x}\n", fit,
             1e6 * ask / static_cast<double>(test.size()), 1e6 * alone / kCalls,
             accuracy(opinions, test, data.labels), nodes / options.trees, fingerprint(opinions));
}

}  // namespace

int main(int argc, char** argv) {
  const Arguments arguments(argc, argv);
  const std::string kind = arguments.text(1, "");
  ForestOptions options;
  options.kind = kind == "extra" ? ForestKind::kExtremelyRandom : ForestKind::kRandom;
  options.trees = arguments.number(2, 200);
  options.min_leaf = arguments.number(3, options.min_leaf);
  const std::size_t threads = arguments.number(4, 1);
  const std::size_t rounds = arguments.number(5, 1);
  if ((kind != "random" && kind != "extra") || threads < 1 || rounds < 1) {
    fmt::print(stderr,
               "usage: bench_forest FILE.csv random|extra [TREES=200] [MIN_LEAF=2] [THREADS=1] "
               "[ROUNDS=1]\n");
    return 2;
  }
  try {
    const Dataset data = load_dataset(arguments.text(0, ""));
    Workers workers(threads);
    run(data, options, workers, rounds);
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "bench_forest: {}\n", error.what());
    return 1;
  }
}
