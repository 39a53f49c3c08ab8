// Training on everything, by the cross-entropy or by SuperLoss over it, and plain self-paced
// learning.
#include "uaspl/loss/superloss.hpp"
#include "uaspl/method/recipes.hpp"

namespace uaspl {

Regulariser regulariser(Weights weights, const Settings& settings) {
  switch (weights) {
    case Weights::kHard: return hard_weight;
    case Weights::kLinear: return linear_weight;
    case Weights::kMixture: return mixture_weight(settings["gamma"]);
  }
  return hard_weight;
}

std::unique_ptr<Method> make_direct() {
  return paced({.loss = softmax_loss, .take = Selection::kAll});
}

std::unique_ptr<Method> make_superloss(const Settings& settings) {
  const double lambda = settings["lambda"];
  return paced(
      {.loss = [lambda](const Stage& stage) { return superloss(lambda, softmax_loss(stage)); },
       .take = Selection::kAll});
}

std::unique_ptr<Method> make_spl(Weights weights, const Settings& settings) {
  return paced({.loss = softmax_loss, .regulariser = regulariser(weights, settings)});
}

}  // namespace uaspl
