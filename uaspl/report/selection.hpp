// Shows how a method chose its rows, from the traces of a results store.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "uaspl/report/results.hpp"
#include "uaspl/study/store.hpp"

namespace uaspl {

// All training rows when a stage begins, in the order of their loss. They are cut in two at the
// first row that is classified wrongly, and each part is cut in half: four intervals from easy to
// hard.
struct SelectionStage {
  int stage = 0;
  std::vector<SampleRecord> samples;  // by loss, then by row
  std::size_t selected = 0;
  std::size_t wrong = 0;
  std::array<std::size_t, 5> cuts = {};                   // interval i is cuts[i]..cuts[i + 1]
  std::array<std::optional<double>, 4> uncertainty = {};  // mean of the interval; none if empty
};
SelectionStage order_by_loss(std::vector<SampleRecord> samples);

// The stages of one run.
struct SelectionTrace {
  bool has_samples() const { return !stages.empty() && !stages.front().samples.empty(); }
  std::string variant;
  std::string dataset;
  std::string method;
  std::uint32_t seed = 0;
  std::vector<SelectionStage> stages;
};

// The first traced run of each variant, data set and method. At most `most` samples are kept in
// all; the stages of further runs have none.
struct Selections {
  std::vector<SelectionTrace> runs;
  std::size_t without_samples = 0;  // runs for whose samples there was no room
};
Selections load_selections(Store& store, std::span<const ResultsTable> tables, std::size_t most);

}  // namespace uaspl
