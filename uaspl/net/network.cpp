// The base versions of the abilities, which throw, see network.hpp.
#include "uaspl/net/network.hpp"

#include "uaspl/base/error.hpp"

namespace uaspl {

std::vector<std::string> ability_names(const Abilities& abilities) {
  std::vector<std::string> names;
  if (abilities.sampled_logits) names.emplace_back("dropout");
  if (abilities.features) names.emplace_back("features");
  if (abilities.weight_influence) names.emplace_back("row gradients");
  return names;
}

Abilities missing_abilities(const Abilities& needed, const Abilities& present) {
  return {.sampled_logits = needed.sampled_logits && !present.sampled_logits,
          .features = needed.features && !present.features,
          .weight_influence = needed.weight_influence && !present.weight_influence};
}

Matrix Network::sampled_logits(const Batch&, float, std::uint64_t) const {
  throw Error("this network cannot sample logits");
}

Matrix Network::features(const Batch&) const { throw Error("this network has no features"); }

std::vector<float> Network::weight_influence(const Trial&) const {
  throw Error("this network cannot tell the influence of weights");
}

}  // namespace uaspl
