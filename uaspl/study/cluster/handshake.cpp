// Defines what rank 0 and the other ranks of a grid have in common, see handshake.hpp.
#include "uaspl/study/cluster/handshake.hpp"

#include <fmt/format.h>

#include "uaspl/base/version.hpp"
#include "uaspl/net/mlp/kernels.hpp"
#include "uaspl/study/run_key.hpp"

namespace uaspl::handshake {

std::vector<std::pair<std::string, std::string>> facts_of(const Grid& grid) {
  std::vector<std::pair<std::string, std::string>> facts = {
      {"version", version()},
      {"results version", fmt::format("{}, of images {}", kResultsVersion, kImageResultsVersion)},
      {"instruction set", kernels::target_name()},  // other sets may differ in the last bit
      {"runs", std::to_string(grid.runs)}};
  for (std::size_t run = 0; run < grid.runs; ++run)
    facts.emplace_back("seed", std::to_string(grid.seed(run)));
  for (const ExperimentOptions& variant : grid.variants) {
    const RunParts parts = variant.parts();
    visit_fields(
        parts, [&](const char* name, bool kept) { facts.emplace_back(name, kept ? "yes" : "no"); });
  }
  std::vector<DatasetId> datasets;
  for (const Dataset& data : grid.datasets) {
    datasets.push_back(dataset_id(data));
    facts.emplace_back("data set " + datasets.back().name, datasets.back().content);
  }
  for (const ChosenMethod& method : grid.methods)
    for (const DatasetId& dataset : datasets)
      for (const ExperimentOptions& variant : grid.variants)
        facts.emplace_back("method " + std::string(method.info->name),
                           run_key(dataset, method, variant, 0).configuration);
  return facts;
}

}  // namespace uaspl::handshake
