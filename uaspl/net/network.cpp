// What networks without an ability answer, see network.hpp.
#include "uaspl/net/network.hpp"

#include "uaspl/base/error.hpp"

namespace uaspl {

std::string missing_abilities(const Abilities& needed, const Abilities& present) {
  std::string missing;
  const auto check = [&](bool need, bool have, const char* what) {
    if (need && !have) missing += (missing.empty() ? "" : ", ") + std::string(what);
  };
  check(needed.sampled_logits, present.sampled_logits, "dropout at scoring time (sampled_logits)");
  check(needed.features, present.features, "rows as points (features)");
  check(needed.weight_influence, present.weight_influence,
        "gradients of single rows (weight_influence)");
  return missing;
}

Matrix Network::sampled_logits(const Batch&, float, std::uint64_t) const {
  throw Error("this network cannot sample logits");
}

Matrix Network::features(const Batch&) const { throw Error("this network has no features"); }

std::vector<float> Network::weight_influence(const Trial&) const {
  throw Error("this network cannot tell the influence of weights");
}

}  // namespace uaspl
