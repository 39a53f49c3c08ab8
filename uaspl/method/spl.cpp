// Training on everything, and plain self-paced learning by the cross-entropy.
#include "uaspl/loss/cross_entropy.hpp"
#include "uaspl/method/pace.hpp"
#include "uaspl/method/recipes.hpp"

namespace uaspl {
namespace {

Loss softmax_loss(const Stage&) { return cross_entropy(); }

}  // namespace

std::unique_ptr<Method> make_direct(const Settings&) {
  return paced({.loss = softmax_loss, .all_rows = true});
}

std::unique_ptr<Method> make_spl(const Settings&) { return paced({.loss = softmax_loss}); }

std::unique_ptr<Method> make_spl_linear(const Settings&) {
  return paced({.loss = softmax_loss, .regulariser = linear_weight});
}

std::unique_ptr<Method> make_spl_mixture(const Settings& settings) {
  return paced({.loss = softmax_loss, .regulariser = mixture_weight(settings["gamma"])});
}

}  // namespace uaspl
