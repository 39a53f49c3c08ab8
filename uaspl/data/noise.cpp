// Label noise, see noise.hpp.
#include "uaspl/data/noise.hpp"

#include <algorithm>
#include <iterator>
#include <string>

#include "uaspl/base/error.hpp"
#include "uaspl/base/matrix.hpp"
#include "uaspl/base/rng.hpp"
#include "uaspl/base/table.hpp"
#include "uaspl/data/table/parse_number.hpp"

namespace uaspl {
namespace {

constexpr std::string_view kNames[] = {"uniform", "asymmetric", "flip1", "flip2"};

// Draws which of the other classes a class may become, as places among them.
std::vector<int> flipped_to(Mt19937& words, std::size_t others, NoiseKind kind) {
  if (kind == NoiseKind::kFlip1) return {static_cast<int>(numpy_below(words, others))};
  std::vector<int> order = numpy_permutation(words, others);
  order.resize(2);
  return order;
}

// Entry (i, j): the probability that label i becomes j.
DoubleMatrix transitions(Mt19937& words, std::size_t classes, NoiseKind kind, double ratio) {
  DoubleMatrix matrix(classes, classes);
  for (std::size_t i = 0; i < classes; ++i) {
    if (kind == NoiseKind::kUniform) {
      for (double& p : matrix.row(i)) p = ratio / static_cast<double>(classes);
    } else if (kind == NoiseKind::kAsymmetric) {
      matrix(i, (i + 1) % classes) += ratio;
    } else {
      const std::vector<int> to = flipped_to(words, classes - 1, kind);
      for (const int place : to) {
        const auto j = static_cast<std::size_t>(place);
        matrix(i, j < i ? j : j + 1) = ratio / static_cast<double>(to.size());
      }
    }
    matrix(i, i) += 1.0 - ratio;
  }
  return matrix;
}

}  // namespace

std::string_view noise_name(NoiseKind kind) { return kNames[static_cast<std::size_t>(kind)]; }

NoiseKind find_noise(std::string_view name) {
  const auto* const found = std::ranges::find(kNames, name);
  if (found == std::end(kNames))
    throw UnknownName(unknown_name("label noise", name,
                                   std::vector<std::string>(std::begin(kNames), std::end(kNames))));
  return static_cast<NoiseKind>(found - std::begin(kNames));
}

LabelNoise parse_noise(std::string_view text) {
  if (text == "none") return {};
  const std::size_t colon = text.find(':');
  const std::optional<double> ratio =
      colon == std::string_view::npos ? std::nullopt : parse_number(text.substr(colon + 1));
  if (!ratio || !(*ratio >= 0.0 && *ratio <= 1.0))
    throw UsageError("'" + std::string(text) +
                     "' is not KIND:RATIO with a ratio in 0..1, nor `none`");
  return {find_noise(text.substr(0, colon)), *ratio};
}

std::vector<int> noisy_labels(std::span<const int> labels, std::size_t classes,
                              const LabelNoise& noise, NoiseDraws draws, std::uint32_t seed) {
  const auto [kind, ratio] = noise;
  if (!(ratio >= 0.0 && ratio <= 1.0)) throw Error("label noise: the ratio must lie in 0..1");
  const std::size_t least = kind == NoiseKind::kFlip1 ? 2 : kind == NoiseKind::kFlip2 ? 3 : 1;
  if (classes < least)
    throw Error("label noise: " + std::string(noise_name(kind)) + " needs " +
                std::to_string(least) + " classes, not " + std::to_string(classes));
  Mt19937 words(seed);
  Mt19937 own(seed);
  const DoubleMatrix matrix =
      transitions(draws == NoiseDraws::kOfImages ? own : words, classes, kind, ratio);
  std::vector<int> noisy;
  noisy.reserve(labels.size());
  for (const int label : labels)
    noisy.push_back(
        static_cast<int>(numpy_choice(words, matrix.row(static_cast<std::size_t>(label)))));
  return noisy;
}

}  // namespace uaspl
