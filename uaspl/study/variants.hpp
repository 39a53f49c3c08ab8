// Makes the variants of a study: every combination of conditions. This header is private to the
// library, not installed.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "uaspl/study/protocol.hpp"
#include "uaspl/train/training_options.hpp"

namespace uaspl {

using Variants = std::vector<ExperimentOptions>;
using Change = std::function<void(ExperimentOptions&)>;

// Returns each variant under each of the changes, in this order.
Variants combine(const Variants& variants, std::span<const Change> changes);

// The changes that give one condition each of these values.
std::vector<Change> changes_of(const TrainingOption& option, std::span<const double> values);
std::vector<Change> changes_of(std::span<const LabelNoise> noises);
std::vector<Change> changes_of(std::span<const ClassWeights> weights);
std::vector<Change> changes_to_clean_pretraining(const std::vector<bool>& values);

// Leaves out what is equivalent to a variant before it.
Variants without_equals(const Variants& variants);

}  // namespace uaspl
