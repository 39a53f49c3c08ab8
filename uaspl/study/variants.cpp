// The variants of a study, see variants.hpp.
#include "uaspl/study/variants.hpp"

#include <fmt/format.h>

#include <set>
#include <string>

#include "uaspl/base/error.hpp"

namespace uaspl {

Variants combine(const Variants& variants, std::span<const Change> changes) {
  constexpr std::size_t kMost = 10000;
  if (variants.size() * changes.size() > kMost)
    throw UsageError(fmt::format("more than {} combinations of conditions", kMost));
  Variants all;
  for (const ExperimentOptions& variant : variants)
    for (const Change& change : changes) {
      all.push_back(variant);
      change(all.back());
    }
  return all;
}

std::vector<Change> changes_of(const TrainingOption& option, std::span<const double> values) {
  std::vector<Change> changes;
  for (const double value : values)
    changes.emplace_back(
        [&option, value](ExperimentOptions& options) { option.set(options.fit, value); });
  return changes;
}

std::vector<Change> changes_of(std::span<const LabelNoise> noises) {
  std::vector<Change> changes;
  for (const LabelNoise& noise : noises)
    changes.emplace_back([noise](ExperimentOptions& options) { options.rows.noise = noise; });
  return changes;
}

std::vector<Change> changes_of(std::span<const ClassWeights> weights) {
  std::vector<Change> changes;
  for (const ClassWeights& one : weights)
    changes.emplace_back([one](ExperimentOptions& options) { options.fit.class_weights = one; });
  return changes;
}

std::vector<Change> changes_to_clean_pretraining(const std::vector<bool>& values) {
  std::vector<Change> changes;
  for (const bool value : values)
    changes.emplace_back(
        [value](ExperimentOptions& options) { options.rows.clean_pretraining = value; });
  return changes;
}

Variants without_equals(const Variants& variants) {
  const ChosenMethod any{&find_method("direct"), Settings({})};
  Variants all;
  std::set<std::string> seen;
  for (const ExperimentOptions& options : variants)
    if (seen.insert(configuration(any, options)).second) all.push_back(options);
  return all;
}

}  // namespace uaspl
