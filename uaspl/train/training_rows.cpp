// Chooses rows and labels, see training_rows.hpp.
#include "uaspl/train/training_rows.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "uaspl/base/error.hpp"
#include "uaspl/base/pick.hpp"
#include "uaspl/base/rng.hpp"
#include "uaspl/data/image/image_split.hpp"

namespace uaspl {

namespace {

// Returns labels of the training rows with the noise that is asked for.
std::vector<int> with_noise(const std::vector<int>& clean, std::size_t classes,
                            const LabelNoise& noise, NoiseDraws draws, std::uint32_t seed) {
  return noise.ratio > 0.0 ? noisy_labels(clean, classes, noise, draws, seed) : clean;
}

// The noise is drawn for the images class by class, and then they are put in a random order.
TrainingRows split_images(const ImageSet& images, std::uint32_t seed, const RowOptions& options) {
  const std::vector<int> grouped = grouped_images(images, options.imbalance, seed);
  const std::vector<int> clean = pick(images.labels, grouped);
  Mt19937 words(seed);
  const std::vector<int> order = torch_permutation(words, grouped.size());
  TrainingRows rows;
  rows.classes = images.classes.size();
  rows.split = {pick(grouped, order), test_images(images)};
  rows.labels =
      pick(with_noise(clean, rows.classes, options.noise, NoiseDraws::kOfImages, seed), order);
  rows.pretraining_labels = options.clean_pretraining ? pick(clean, order) : rows.labels;
  return rows;
}

TrainingRows split_table(const Dataset& data, std::uint32_t seed, const RowOptions& options) {
  TrainingRows rows;
  rows.split = train_test_split(data.rows(), options.test_fraction, seed);
  const std::vector<int> clean = pick(data.labels, rows.split.train);
  // Classes are counted as in the published code: those above the last one of the training half are
  // not known.
  rows.classes = static_cast<std::size_t>(std::ranges::max(clean)) + 1;
  rows.labels = with_noise(clean, rows.classes, options.noise, NoiseDraws::kOfTables, seed);
  rows.pretraining_labels = options.clean_pretraining ? clean : rows.labels;
  return rows;
}

}  // namespace

TrainingRows split_rows(const Dataset& data, std::uint32_t seed, const RowOptions& options) {
  TrainingRows rows = data.is_images() ? split_images(*data.images().set, seed, options)
                                       : split_table(data, seed, options);
  rows.test_labels = pick(data.labels, rows.split.test);
  return rows;
}

std::vector<double> weights_of_rows(const Dataset& data, std::span<const int> rows) {
  std::vector<double> weights;
  if (data.weights.empty()) return weights;
  const double most = std::ranges::max(data.weights);
  for (const int row : rows) weights.push_back(data.weights[static_cast<std::size_t>(row)] / most);
  return weights;
}

std::vector<float> loss_weights(const Dataset& data, std::span<const int> rows,
                                std::span<const int> labels, const ClassWeights& of_classes) {
  check_weights_of_rows(data);
  std::vector<double> weights = weights_of_rows(data, rows);
  if (of_classes.any()) {
    const auto of_class = weights_of_classes(of_classes, data.target, labels, weights);
    weights.resize(labels.size(), 1.0);
    for (std::size_t i = 0; i < labels.size(); ++i)
      weights[i] *= of_class[static_cast<std::size_t>(labels[i])];
  }
  // Equal weights must change nothing, not even the last bit.
  if (std::ranges::adjacent_find(weights, std::not_equal_to<>()) == weights.end()) return {};
  const double most = std::ranges::max(weights);
  double sum = 0.0;  // of what cannot overflow
  for (const double weight : weights) sum += weight / most;
  std::vector<float> scaled;
  for (const double weight : weights)
    scaled.push_back(static_cast<float>(weight / most / sum * static_cast<double>(weights.size())));
  if (!std::ranges::all_of(scaled, [](float weight) { return std::isfinite(weight); }))
    throw Error(data.name + ": weights that are too far apart to compute with");
  return scaled;
}

TrainingRows rows_to_train_on(const Dataset& data, std::span<const int> rows) {
  TrainingRows all;
  all.split.train.assign(rows.begin(), rows.end());
  all.labels = pick(data.labels, rows);
  all.pretraining_labels = all.labels;
  all.classes = data.target.classes.size();
  return all;
}

}  // namespace uaspl
