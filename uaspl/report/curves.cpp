// Learning curves, see curves.hpp.
#include "uaspl/report/curves.hpp"

#include <algorithm>

namespace uaspl {

LearningCurves load_curves(Store& store, std::span<const ResultsTable> tables, std::size_t most) {
  LearningCurves all;
  std::size_t passes = 0;
  for (const ResultsTable& table : tables)
    for (std::size_t d = 0; d < table.datasets.size(); ++d)
      for (std::size_t m = 0; m < table.methods.size(); ++m) {
        const auto runs = table.runs(d, m);
        const auto run =
            std::ranges::find_if(runs, [](const RunRecord* one) { return one->parts.passes; });
        if (run == runs.end()) continue;
        if (passes >= most) {
          ++all.left_out;
          continue;
        }
        all.runs.push_back({table.variant, table.datasets[d], table.methods[m], (*run)->key.seed,
                            store.passes((*run)->key)});
        passes += all.runs.back().passes.size();
      }
  return all;
}

std::vector<std::size_t> shown_passes(std::span<const PassRecord> passes, std::size_t most) {
  const std::size_t step = passes.size() / most + 1;
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < passes.size(); ++i)
    if (i % step == 0 || i + 1 == passes.size() || passes[i].stage != passes[i + 1].stage)
      places.push_back(i);
  return places;
}

}  // namespace uaspl
