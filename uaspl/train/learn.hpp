// Methods that make a model in a way of their own, not by stages of one network: a committee, and a
// forest.
#pragma once

#include <optional>

#include "uaspl/train/committee.hpp"
#include "uaspl/train/fit_model.hpp"

namespace uaspl {

struct LearnedModel {
  Model model;
  double seconds = 0.0;
  std::optional<Judged> out_of_fold;  // all training rows, or a sample of many
};

// Learns from the training rows of a table, by a method without stages. Returns nothing if the
// observer stopped it, which is asked from several threads.
std::optional<LearnedModel> learn(const Dataset& data, const TrainingRows& rows,
                                  const ChosenMethod& method, const FitOptions& options,
                                  Observer* observer = nullptr);

}  // namespace uaspl
