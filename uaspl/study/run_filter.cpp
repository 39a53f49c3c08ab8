// Selects runs, see run_filter.hpp.
#include "uaspl/study/run_filter.hpp"

#include <algorithm>

#include "uaspl/data/table/known_tables.hpp"
#include "uaspl/study/run_key.hpp"

namespace uaspl {

RunFilter::RunFilter(const std::vector<std::string>& methods,
                     const std::vector<std::string>& datasets, std::optional<Study> study)
    : methods_(methods.begin(), methods.end()), study_(std::move(study)) {
  add_datasets(datasets);
  if (!study_) return;
  if (datasets.empty()) add_datasets(study_->datasets);
  study_methods_ = choose_methods(study_->methods, study_->settings);
}

void RunFilter::add_datasets(const std::vector<std::string>& names) {
  for (const std::string& name : names)
    for (const std::string& one : named_sets(name)) datasets_.insert(one);
}

bool RunFilter::takes(const RunKey& key) {
  if (!methods_.empty() && !methods_.contains(key.method)) return false;
  if (!datasets_.empty() && !datasets_.contains(key.dataset)) return false;
  if (!study_) return true;
  const auto [at, added] = known_.try_emplace({key.dataset, key.method, key.configuration}, false);
  if (added) at->second = in_study(key);
  return at->second;
}

// Says whether the study asks for the run, perhaps with fewer steps: a study may have been
// shortened.
bool RunFilter::in_study(const RunKey& key) const {
  const auto method = std::ranges::find(study_methods_, key.method,
                                        [](const ChosenMethod& one) { return one.info->name; });
  const std::optional<int> steps = configured_steps(key.configuration);
  if (method == study_methods_.end() || !steps) return false;
  return std::ranges::any_of(study_->variants, [&](ExperimentOptions variant) {
    variant.fit.training.passes = *steps;
    return run_key({key.dataset, key.data_sha256}, *method, variant, key.seed) == key;
  });
}

}  // namespace uaspl
