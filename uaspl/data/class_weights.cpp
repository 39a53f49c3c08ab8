// Weights of classes, see class_weights.hpp.
#include "uaspl/data/class_weights.hpp"

#include <fmt/format.h>

#include <cmath>

#include "uaspl/base/error.hpp"
#include "uaspl/base/text.hpp"
#include "uaspl/data/table/parse_number.hpp"

namespace uaspl {
namespace {

constexpr std::string_view kBalanced = "balanced";

// Reads NAME=WEIGHT; a name may contain `=`.
void add_weight(std::string_view text, ClassWeights& weights) {
  const std::size_t sign = text.rfind('=');
  const auto value =
      sign == std::string_view::npos ? std::nullopt : parse_number(text.substr(sign + 1));
  if (!value || !(*value > 0.0) || !std::isfinite(*value) || sign == 0)
    throw UsageError(
        fmt::format("class weights: '{}' is neither `balanced` nor CLASS=WEIGHT with a finite "
                    "weight above 0",
                    printable(text)));
  const std::string name(text.substr(0, sign));
  if (!is_utf8(name))
    throw UsageError(fmt::format("class weights: '{}' is not valid UTF-8", printable(name)));
  if (!weights.of.emplace(name, *value).second)
    throw UsageError(fmt::format("class weights: '{}' comes twice", printable(name)));
}

std::vector<double> balanced_weights(std::size_t classes, std::span<const int> labels,
                                     std::span<const double> row_weights) {
  std::vector<double> sums(classes);
  double all = 0.0;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const double weight = row_weights.empty() ? 1.0 : row_weights[i];
    sums[static_cast<std::size_t>(labels[i])] += weight;
    all += weight;
  }
  double present = 0.0;
  for (const double sum : sums) present += sum > 0.0 ? 1.0 : 0.0;
  std::vector<double> weights;
  for (const double sum : sums) weights.push_back(sum > 0.0 ? all / (present * sum) : 1.0);
  return weights;
}

}  // namespace

std::string ClassWeights::text() const {
  if (balanced) return std::string(kBalanced);
  std::string all;
  for (const auto& [name, weight] : of)
    all += fmt::format("{}{}={}", all.empty() ? "" : ",", name, weight);
  return all;
}

ClassWeights parse_class_weights(std::string_view text) {
  ClassWeights weights;
  if (text == kBalanced) {
    weights.balanced = true;
    return weights;
  }
  for (std::size_t first = 0; first <= text.size();) {
    const std::size_t comma = std::min(text.find(',', first), text.size());
    add_weight(text.substr(first, comma - first), weights);
    first = comma + 1;
  }
  std::erase_if(weights.of, [](const auto& one) { return one.second == 1.0; });
  return weights;
}

void check_class_weights(const ClassWeights& weights, const Target& target) {
  for (const auto& [name, weight] : weights.of) {
    class_place(target, name, "class weights");
    if (!(weight > 0.0) || !std::isfinite(weight))
      throw UsageError(fmt::format("class weights: {} for '{}', expected a finite weight above 0",
                                   weight, printable(name)));
  }
}

std::vector<double> weights_of_classes(const ClassWeights& weights, const Target& target,
                                       std::span<const int> labels,
                                       std::span<const double> row_weights) {
  check_class_weights(weights, target);
  if (weights.balanced) return balanced_weights(target.classes.size(), labels, row_weights);
  std::vector<double> all(target.classes.size(), 1.0);
  for (const auto& [name, weight] : weights.of)
    all[class_place(target, name, "class weights")] = weight;
  return all;
}

}  // namespace uaspl
