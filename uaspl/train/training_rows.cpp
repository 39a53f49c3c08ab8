// Chooses rows and labels, see training_rows.hpp.
#include "uaspl/train/training_rows.hpp"

#include <algorithm>

#include "uaspl/base/pick.hpp"
#include "uaspl/data/image/image_split.hpp"

namespace uaspl {

TrainingRows split_rows(const Dataset& data, std::uint32_t seed, const RowOptions& options) {
  TrainingRows rows;
  rows.split = data.is_images() ? split_images(*data.images().set, options.imbalance, seed)
                                : train_test_split(data.rows(), options.test_fraction, seed);
  const std::vector<int> clean = pick(data.labels, rows.split.train);
  rows.test_labels = pick(data.labels, rows.split.test);
  // Classes of a table are counted as in the published code: those above the last one of the
  // training half are not known.
  rows.classes = data.is_images() ? data.target.classes.size()
                                  : static_cast<std::size_t>(std::ranges::max(clean)) + 1;
  rows.labels = options.noise.ratio > 0.0 ? noisy_labels(clean, rows.classes, options.noise.kind,
                                                         options.noise.ratio, seed)
                                          : clean;
  rows.pretraining_labels = options.clean_pretraining ? clean : rows.labels;
  return rows;
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
