// Shows how a method chose its rows, see selection.hpp.
#include "uaspl/report/selection.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

namespace uaspl {
namespace {

const RunRecord* first_traced(std::span<const RunRecord* const> runs) {
  const auto found =
      std::ranges::find_if(runs, [](const RunRecord* run) { return run->parts.samples; });
  return found == runs.end() ? nullptr : *found;
}

std::vector<SelectionStage> split_stages(std::span<const SampleRecord> samples) {
  std::map<int, std::vector<SampleRecord>> by_stage;
  for (const SampleRecord& sample : samples) by_stage[sample.stage].push_back(sample);
  std::vector<SelectionStage> stages;
  for (auto& [stage, rows] : by_stage) stages.push_back(order_by_loss(std::move(rows)));
  return stages;
}

}  // namespace

SelectionStage order_by_loss(std::vector<SampleRecord> samples) {
  SelectionStage stage{.stage = samples.empty() ? 0 : samples.front().stage,
                       .samples = std::move(samples)};
  std::ranges::sort(stage.samples, {},
                    [](const SampleRecord& s) {  // a loss that is NaN is the hardest
                      return std::tuple(std::isnan(s.loss), std::isnan(s.loss) ? 0.0F : s.loss,
                                        s.row);
                    });
  const auto wrong = std::ranges::find(stage.samples, false, &SampleRecord::correct);
  const auto right = static_cast<std::size_t>(wrong - stage.samples.begin());
  const std::size_t all = stage.samples.size();
  const auto count = [&](bool SampleRecord::*flag, bool value) {
    return static_cast<std::size_t>(std::ranges::count(stage.samples, value, flag));
  };
  stage.selected = count(&SampleRecord::selected, true);
  stage.wrong = count(&SampleRecord::correct, false);
  stage.cuts = {0, right / 2, right, right + (all - right) / 2, all};
  for (std::size_t i = 0; i < stage.uncertainty.size(); ++i) {
    std::vector<double> values;
    for (std::size_t j = stage.cuts[i]; j < stage.cuts[i + 1]; ++j)
      values.push_back(static_cast<double>(stage.samples[j].uncertainty));
    if (const Summary s = summarise(values); s.count > 0) stage.uncertainty[i] = s.mean;
  }
  return stage;
}

Selections load_selections(Store& store, std::span<const ResultsTable> tables, std::size_t most) {
  Selections all;
  std::size_t used = 0;
  for (const ResultsTable& table : tables)
    for (std::size_t d = 0; d < table.datasets.size(); ++d)
      for (std::size_t m = 0; m < table.methods.size(); ++m) {
        const RunRecord* run = first_traced(table.runs(d, m));
        if (!run) continue;
        SelectionTrace trace{.variant = table.variant,
                             .dataset = table.datasets[d],
                             .method = table.methods[m],
                             .seed = run->key.seed,
                             .stages = split_stages(store.samples(run->key))};
        if (trace.stages.empty()) continue;  // somebody deleted them
        std::size_t samples = 0;
        for (const SelectionStage& stage : trace.stages) samples += stage.samples.size();
        if (used + samples > most) {
          ++all.without_samples;
          for (SelectionStage& stage : trace.stages) stage.samples = {};
        } else {
          used += samples;
        }
        all.runs.push_back(std::move(trace));
      }
  return all;
}

}  // namespace uaspl
