// Finished runs with chosen results, for the tests of reports.
#pragma once

#include <string>
#include <vector>

#include "uaspl/study/experiment.hpp"

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

// Means of the first data set: uaspl .9, spl .8 (.7 and .9), direct .8; b: .6, .6, .5; c has no
// direct.
inline std::vector<RunRecord> some_runs(const std::string& first = "a") {
  return {make_run(first, "uaspl", 1, 0.9),  make_run(first, "uaspl", 2, 0.9),
          make_run(first, "spl", 1, 0.7),    make_run(first, "spl", 2, 0.9),
          make_run(first, "direct", 1, 0.8), make_run(first, "direct", 2, 0.8),
          make_run("b", "uaspl", 1, 0.6),    make_run("b", "spl", 1, 0.6),
          make_run("b", "direct", 1, 0.5),   make_run("c", "uaspl", 1, 0.1),
          make_run("c", "spl", 1, 0.2)};
}

}  // namespace uaspl::testing
