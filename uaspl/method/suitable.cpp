// The options that suit known image sets, see suitable.hpp.
#include "uaspl/method/suitable.hpp"

namespace uaspl {
namespace {

// The options of the paper's image study: the divergence's factor in the first and in the last
// stage, and the pull on negative target logits.
struct Suits {
  std::string_view set;
  std::string_view method;
  std::string_view option;
  std::string_view value;
};
constexpr Suits kSuits[] = {
    {"cifar10", "uaspl_hybrid", "beta_first", "0.1"},
    {"cifar10", "uaspl_hybrid", "beta_last", "0.05"},
    {"cifar10", "uaspl_hybrid", "kappa", "1"},
    {"svhn", "uaspl_hybrid", "beta_first", "0.1"},
    {"svhn", "uaspl_hybrid", "beta_last", "0.05"},
    {"svhn", "uaspl_hybrid", "kappa", "1"},
    {"fashion_mnist", "uaspl_hybrid", "beta_first", "0.1"},
    {"fashion_mnist", "uaspl_hybrid", "beta_last", "0.1"},
    {"fashion_mnist", "uaspl_hybrid", "kappa", "0.25"},
    {"mnist", "uaspl_hybrid", "beta_first", "0.1"},
    {"mnist", "uaspl_hybrid", "beta_last", "0.1"},
    {"mnist", "uaspl_hybrid", "kappa", "1.5"},
};

}  // namespace

ChosenMethod suited_to_images(const ChosenMethod& method, std::string_view set) {
  ChosenMethod result = method;
  for (const Suits& one : kSuits)
    if (one.set == set && one.method == method.info->name && !method.settings.is_set(one.option))
      result.settings.set(one.option, one.value);
  return result;
}

ChosenMethod suited_to(const ChosenMethod& method, const Dataset& data) {
  return data.is_images() ? suited_to_images(method, data.name) : method;
}

}  // namespace uaspl
