// The abilities of networks and their base versions, which throw, see network.hpp.
#include "uaspl/net/network.hpp"

#include <algorithm>

#include "uaspl/base/error.hpp"

namespace uaspl {

std::vector<std::string> ability_names(const Abilities& abilities) {
  std::vector<std::string> names;
  if (abilities.sampled_logits) names.emplace_back("dropout");
  if (abilities.features) names.emplace_back("features");
  if (abilities.weight_influence) names.emplace_back("row gradients");
  if (abilities.constant) names.emplace_back("constant answers");
  return names;
}

Abilities missing_abilities(const Abilities& needed, const Abilities& present) {
  return {.sampled_logits = needed.sampled_logits && !present.sampled_logits,
          .features = needed.features && !present.features,
          .weight_influence = needed.weight_influence && !present.weight_influence,
          .constant = needed.constant && !present.constant};
}

const Tensor* find_tensor(const State& state, const std::string& name) {
  static const std::string kOwn = "linear.";
  auto found = state.find(name);
  if (found == state.end() && name.starts_with(kOwn))
    found = state.find("fc." + name.substr(kOwn.size()));
  return found == state.end() ? nullptr : &found->second;
}

State constant_state(State weights, const std::string& output_biases,
                     std::span<const float> logits) {
  for (auto& [name, tensor] : weights) std::ranges::fill(tensor.values, 0.0F);
  weights.at(output_biases).values.assign(logits.begin(), logits.end());
  return weights;
}

Matrix Network::sampled_logits(const Batch&, float, std::uint64_t) const {
  throw Error("this network cannot sample logits");
}

Matrix Network::features(const Batch&) const { throw Error("this network has no features"); }

std::vector<float> Network::weight_influence(const Trial&) const {
  throw Error("this network cannot tell the influence of weights");
}

void Network::answer_always(std::span<const float>) {
  throw Error("this network cannot give constant answers");
}

}  // namespace uaspl
