// What rank 0 and the other ranks of a grid have in common, see team.hpp.
#include "uaspl/run/team.hpp"

#include "uaspl/base/version.hpp"
#include "uaspl/net/kernels.hpp"
#include "uaspl/run/store.hpp"

namespace uaspl::team {

std::vector<std::pair<std::string, std::string>> facts_of(const Grid& grid) {
  std::vector<std::pair<std::string, std::string>> facts = {
      {"version", version()},
      {"results version", std::to_string(kResultsVersion)},
      {"instruction set", kernels::target_name()},  // others may differ in the last bit
      {"runs", std::to_string(grid.runs)}};
  for (std::size_t run = 0; run < grid.runs; ++run)
    facts.emplace_back("seed", std::to_string(grid.seed(run)));
  for (const Dataset& data : grid.datasets) {
    facts.emplace_back("data set " + data.name, content_sha256(data));
    for (const std::string& setting : data.settings) facts.emplace_back("setting", setting);
  }
  for (const ExperimentOptions& variant : grid.variants) {
    facts.emplace_back("trace", variant.trace ? "yes" : "no");
    for (const ChosenMethod& method : grid.methods)
      facts.emplace_back("method " + std::string(method.info->name),
                         configuration(method, variant));
  }
  return facts;
}

}  // namespace uaspl::team
