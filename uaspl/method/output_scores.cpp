// SPL_conf and SPL_marg: rows that the network is sure of come first, whatever their label.
#include "uaspl/method/output_scores.hpp"

#include <algorithm>
#include <cmath>

#include "uaspl/loss/softmax.hpp"
#include "uaspl/method/recipes.hpp"

namespace uaspl {

double least_confidence(std::span<const double> p) {
  double highest = 0.0;
  for (const double value : p) {
    if (std::isnan(value)) return value;
    highest = std::max(highest, value);
  }
  return 1.0 - highest;
}

double small_margin(std::span<const double> p) {
  double first = 0.0;
  double second = 0.0;
  for (const double value : p) {
    if (std::isnan(value)) return value;
    second = std::max(second, std::min(first, value));
    first = std::max(first, value);
  }
  return 1.0 - (first - second);
}

namespace {

std::unique_ptr<Method> by_output(double (*score)(std::span<const double>)) {
  return paced({.loss = softmax_loss, .score = [score](const Stage&, const Probe& probe) {
                  const DoubleMatrix p = softmax(probe.logits());
                  std::vector<float> scores;
                  for (std::size_t i = 0; i < p.rows(); ++i)
                    scores.push_back(static_cast<float>(score(p.row(i))));
                  return scores;
                }});
}

}  // namespace

std::unique_ptr<Method> make_spl_conf(const Settings&) { return by_output(least_confidence); }
std::unique_ptr<Method> make_spl_marg(const Settings&) { return by_output(small_margin); }

}  // namespace uaspl
