// Learning curves, from the passes that a results store keeps.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "uaspl/report/results.hpp"
#include "uaspl/study/store.hpp"

namespace uaspl {

struct CurveKind {
  std::string_view title;
  double PassRecord::*value;
};
inline constexpr CurveKind kCurves[] = {
    {"accuracy on the test rows", &PassRecord::test_accuracy},
    {"accuracy on the training rows", &PassRecord::train_accuracy},
    {"loss of the test rows", &PassRecord::test_loss},
    {"loss of the training rows", &PassRecord::train_loss},
    {"loss of the chosen rows with their weights", &PassRecord::loss}};

struct LearningCurve {
  std::string variant;
  std::string dataset;
  std::string method;
  std::uint32_t seed = 0;
  std::vector<PassRecord> passes;  // in the order of their stages
};

// The first run with passes of each variant, data set and method. At most about `most` passes are
// kept in all; further runs have none and are counted.
struct LearningCurves {
  std::vector<LearningCurve> runs;
  std::size_t left_out = 0;
};
LearningCurves load_curves(Store& store, std::span<const ResultsTable> tables, std::size_t most);

// Returns the places of at most some `most` passes, evenly spread, the last of each stage included.
std::vector<std::size_t> shown_passes(std::span<const PassRecord> passes, std::size_t most);

}  // namespace uaspl
