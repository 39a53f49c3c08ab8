// Label noise as the published experiments make it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace uaspl {

enum class NoiseKind {
  kUniform,     // any class, the own one included: labels really change at rate r (K-1)/K
  kAsymmetric,  // class i becomes (i+1) mod K
};

std::string_view noise_name(NoiseKind kind);  // "uniform", "asymmetric"
NoiseKind find_noise(std::string_view name);

struct LabelNoise {
  NoiseKind kind = NoiseKind::kUniform;
  double ratio = 0.0;  // 0: none
};

// KIND:RATIO, such as uniform:0.4, with a ratio in 0..1.
LabelNoise parse_noise(std::string_view text);

// One draw a label in order, from NumPy's legacy generator at the seed.
std::vector<int> noisy_labels(std::span<const int> labels, std::size_t classes, NoiseKind kind,
                              double ratio, std::uint32_t seed);

}  // namespace uaspl
