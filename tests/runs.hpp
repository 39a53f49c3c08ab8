// Finished runs with chosen results, for the tests of reports.
#pragma once

#include <string>
#include <vector>

#include "uaspl/run/experiment.hpp"

namespace uaspl::testing {

// Precision, recall and F1 are different functions of the accuracy, so that none is taken for
// another.
inline RunRecord make_run(const std::string& dataset, const std::string& method, std::uint32_t seed,
                          double accuracy, const std::vector<std::string>& settings = {},
                          const ExperimentOptions& options = {}) {
  const auto chosen = choose_methods(std::vector<std::string>{method}, settings);
  RunRecord run;
  run.key = {dataset, "sha of " + dataset, method, configuration(chosen[0], options), seed};
  run.metrics = {accuracy, accuracy / 2, accuracy / 4, 1.0 - accuracy};
  run.stages = {{.stage = 0, .selected = 5, .loss_variation = 0.5, .test_accuracy = accuracy}};
  return run;
}

}  // namespace uaspl::testing
