// What a run begins with, see start.hpp.
#include "uaspl/run/start.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "uaspl/base/error.hpp"
#include "uaspl/base/pick.hpp"
#include "uaspl/base/rng.hpp"
#include "uaspl/data/encode.hpp"
#include "uaspl/net/deep.hpp"
#include "uaspl/net/mlp.hpp"
#include "uaspl/train/meta_split.hpp"

namespace uaspl {
namespace {

std::unique_ptr<Network> make_table_network(const Dataset& data, const Start& start,
                                            std::uint32_t seed, const ExperimentOptions& options) {
  const Scaler scaler = fit_scaler(data.features, start.split.train);
  auto inputs = std::make_shared<const Matrix>(standardise(data.features, scaler));
  const MlpShape shape{
      .inputs = inputs->cols(), .hidden = options.hidden, .classes = start.classes};
  return std::make_unique<Mlp>(std::move(inputs), shape, seed,
                               workers_for(start.split.train.size(), options.threads));
}

std::unique_ptr<Network> make_image_network(const Dataset& data, std::uint32_t seed,
                                            const ExperimentOptions& options) {
  return make_deep_network(data.images, {.network = options.network,
                                         .transform = data.transform,
                                         .classes = data.images->classes.size(),
                                         .seed = seed,
                                         .threads = options.threads,
                                         .device = options.device,
                                         .group = options.group});
}

}  // namespace

Split split_images(const ImageSet& images, double imbalance, std::uint32_t seed) {
  if (images.train == 0 || images.train == images.rows())
    throw Error(images.name + ": no images for " + (images.train == 0 ? "training" : "testing"));
  std::vector<std::vector<int>> members(images.classes.size());
  for (std::size_t i = 0; i < images.train; ++i)
    members[static_cast<std::size_t>(images.labels[i])].push_back(static_cast<int>(i));
  std::vector<std::size_t> counts;
  for (const std::vector<int>& rows : members) counts.push_back(rows.size());
  if (imbalance != 1.0) counts = long_tail(counts, imbalance, seed);
  std::vector<int> grouped;
  for (std::size_t k = 0; k < members.size(); ++k)
    grouped.insert(grouped.end(), members[k].begin(),
                   members[k].begin() + static_cast<std::ptrdiff_t>(counts[k]));
  Mt19937 words(seed);
  Split split{.train = pick(grouped, numpy_permutation(words, grouped.size())),
              .test = std::vector<int>(images.rows() - images.train)};
  std::iota(split.test.begin(), split.test.end(), static_cast<int>(images.train));
  return split;
}

PlannedImages planned_images(const Dataset& data, const ChosenMethod& method,
                             const ExperimentOptions& options, std::uint32_t seed) {
  const std::vector<int> rows = split_images(*data.images, options.imbalance, seed).train;
  const auto made = method.make();
  const auto apart = meta_counts(pick(data.labels, rows), data.images->classes.size(),
                                 made->needs().meta_fraction, options.training.meta_of_class);
  const std::size_t left =
      rows.size() - std::accumulate(apart.begin(), apart.end(), std::size_t{0});
  return {options.pretraining * static_cast<double>(rows.size()),
          planned_visits(options.training, made->take(), left)};
}

std::vector<std::size_t> long_tail(std::span<const std::size_t> members, double ratio,
                                   std::uint32_t seed) {
  const auto classes = static_cast<double>(members.size());
  const double mean =
      static_cast<double>(std::accumulate(members.begin(), members.end(), std::size_t{0})) /
      classes;
  Mt19937 words(seed);
  const std::vector<int> places = numpy_permutation(words, members.size());
  std::vector<std::size_t> counts(members.size());
  for (std::size_t k = 0; k < counts.size(); ++k) {
    const double power = classes > 1.0 ? static_cast<double>(places[k]) / (classes - 1.0) : 0.0;
    const auto wanted = static_cast<std::size_t>(mean / std::pow(ratio, power));
    counts[k] = std::min(members[k], std::max<std::size_t>(1, wanted));
  }
  return counts;
}

Start make_start(const Dataset& data, std::uint32_t seed, const ExperimentOptions& options) {
  Start start;
  start.split = data.images ? split_images(*data.images, options.imbalance, seed)
                            : train_test_split(data.rows(), options.test_fraction, seed);
  start.clean_labels = pick(data.labels, start.split.train);
  start.test_labels = pick(data.labels, start.split.test);
  start.classes = data.images ? data.images->classes.size()
                              : static_cast<std::size_t>(std::ranges::max(start.clean_labels)) + 1;
  start.labels = options.noise.ratio > 0.0
                     ? noisy_labels(start.clean_labels, start.classes, options.noise.kind,
                                    options.noise.ratio, seed)
                     : start.clean_labels;
  start.network = data.images ? make_image_network(data, seed, options)
                              : make_table_network(data, start, seed, options);
  return start;
}

}  // namespace uaspl
