// Draws random numbers, see rng.hpp; each function names the routine whose words it consumes in the
// same order.
#include "uaspl/base/rng.hpp"

#include <cmath>
#include <numbers>
#include <numeric>
#include <utility>

namespace uaspl {

std::vector<int> numpy_permutation(Mt19937& words, std::size_t n) {
  std::vector<int> items(n);
  std::iota(items.begin(), items.end(), 0);
  for (std::size_t i = n; i-- > 1;) std::swap(items[i], items[numpy_below(words, i + 1)]);
  return items;
}

std::vector<int> torch_permutation(Mt19937& words, std::size_t n) {
  std::vector<int> items(n);
  std::iota(items.begin(), items.end(), 0);
  for (std::size_t i = 0; i + 1 < n; ++i) std::swap(items[i], items[i + words() % (n - i)]);
  return items;
}

std::uint32_t numpy_below(Mt19937& words, std::size_t n) {
  const auto last = static_cast<std::uint32_t>(n - 1);
  if (last == 0) return 0;  // as NumPy, without a draw
  std::uint32_t mask = last;
  for (int shift = 1; shift < 32; shift *= 2) mask |= mask >> shift;
  std::uint32_t j = 0;
  do j = static_cast<std::uint32_t>(words()) & mask;
  while (j > last);
  return j;
}

double numpy_uniform(Mt19937& words) {
  const auto high = static_cast<double>(words() >> 5);
  const auto low = static_cast<double>(words() >> 6);
  return (high * 67108864.0 + low) / 9007199254740992.0;
}

std::size_t numpy_choice(Mt19937& words, std::span<const double> probabilities) {
  std::vector<double> cdf(probabilities.size());
  std::partial_sum(probabilities.begin(), probabilities.end(), cdf.begin());
  const double total = cdf.back();
  const double x = numpy_uniform(words);
  for (std::size_t i = 0; i < cdf.size(); ++i)
    if (cdf[i] / total > x) return i;
  return cdf.size() - 1;
}

float torch_uniform(Mt19937& words, float low, float high) {
  const float x = static_cast<float>(words() & 0xffffffU) * 0x1p-24F;
  return std::fma(x, high - low, low);
}

Stream::Stream(std::uint64_t seed, std::string_view name, std::uint64_t a, std::uint64_t b)
    : state_(mix_bits(seed)) {
  for (const char c : name) state_ = mix_bits(state_ ^ static_cast<unsigned char>(c)) + 1;
  state_ = mix_bits(mix_bits(state_ ^ a) + 1) ^ b;
  state_ = mix_bits(state_ + 1);
}

double Stream::normal() {
  const double radius = std::sqrt(-2.0 * std::log(1.0 - uniform()));
  return radius * std::cos(2.0 * std::numbers::pi * uniform());
}

double Stream::gumbel() {
  // Takes the middle of one of 2^52 cells, so that neither logarithm is infinite.
  const double inside = (static_cast<double>(word() >> 12) + 0.5) * 0x1p-52;
  return -std::log(-std::log(inside));
}

std::uint64_t Stream::below(std::uint64_t n) {
  const std::uint64_t reject =
      (0 - n) % n;  // 2^64 mod n: words below it would favour small results
  std::uint64_t w = word();
  while (w < reject) w = word();
  return w % n;
}

void Stream::shuffle(std::span<int> items) {
  for (std::size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[below(i)]);
}

}  // namespace uaspl
