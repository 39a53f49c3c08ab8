// Makes label noise as in the published experiments.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace uaspl {

enum class NoiseKind {
  kUniform,     // any class, including its own: labels really change at rate r (K-1)/K
  kAsymmetric,  // class i becomes (i+1) mod K
  kFlip1,       // one other class, drawn for each class
  kFlip2,       // two others, with half of the ratio each
};

std::string_view noise_name(NoiseKind kind);  // "uniform", "asymmetric", "flip1", "flip2"
NoiseKind find_noise(std::string_view name);

struct LabelNoise {
  NoiseKind kind = NoiseKind::kUniform;
  double ratio = 0.0;  // 0: none
};

// Parses KIND:RATIO, such as uniform:0.4, with a ratio in 0..1.
LabelNoise parse_noise(std::string_view text);

// Where the other classes of flip1 and flip2 come from: of tables, they are the first draws of the
// labels' generator; of images, the published code draws them from a generator of their own with
// the same seed.
enum class NoiseDraws { kOfTables, kOfImages };

// Draws from NumPy's legacy generator at the seed, once for each label in order.
std::vector<int> noisy_labels(std::span<const int> labels, std::size_t classes,
                              const LabelNoise& noise, NoiseDraws draws, std::uint32_t seed);

}  // namespace uaspl
