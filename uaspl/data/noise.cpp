// Label noise, see noise.hpp.
#include "uaspl/data/noise.hpp"

#include <string>

#include "uaspl/base/error.hpp"
#include "uaspl/base/matrix.hpp"
#include "uaspl/base/rng.hpp"
#include "uaspl/data/schema.hpp"

namespace uaspl {
namespace {

// Entry (i, j): the probability that label i becomes j.
DoubleMatrix transitions(std::size_t classes, NoiseKind kind, double ratio) {
  DoubleMatrix matrix(classes, classes);
  for (std::size_t i = 0; i < classes; ++i) {
    if (kind == NoiseKind::kUniform) {
      for (double& p : matrix.row(i)) p = ratio / static_cast<double>(classes);
    } else {
      matrix(i, (i + 1) % classes) += ratio;
    }
    matrix(i, i) += 1.0 - ratio;
  }
  return matrix;
}

}  // namespace

std::string_view noise_name(NoiseKind kind) {
  return kind == NoiseKind::kUniform ? "uniform" : "asymmetric";
}

NoiseKind find_noise(std::string_view name) {
  for (const NoiseKind kind : {NoiseKind::kUniform, NoiseKind::kAsymmetric})
    if (name == noise_name(kind)) return kind;
  throw UnknownName("unknown label noise '" + std::string(name) + "'; known: uniform, asymmetric");
}

LabelNoise parse_noise(std::string_view text) {
  const std::size_t colon = text.find(':');
  const std::optional<double> ratio =
      colon == std::string_view::npos ? std::nullopt : parse_number(text.substr(colon + 1));
  if (!ratio || !(*ratio >= 0.0 && *ratio <= 1.0))
    throw UsageError("'" + std::string(text) + "' is not KIND:RATIO with a ratio in 0..1");
  return {find_noise(text.substr(0, colon)), *ratio};
}

std::vector<int> noisy_labels(std::span<const int> labels, std::size_t classes, NoiseKind kind,
                              double ratio, std::uint32_t seed) {
  if (!(ratio >= 0.0 && ratio <= 1.0)) throw Error("label noise: the ratio must lie in 0..1");
  const DoubleMatrix matrix = transitions(classes, kind, ratio);
  Mt19937 words(seed);
  std::vector<int> noisy;
  noisy.reserve(labels.size());
  for (const int label : labels)
    noisy.push_back(
        static_cast<int>(numpy_choice(words, matrix.row(static_cast<std::size_t>(label)))));
  return noisy;
}

}  // namespace uaspl
