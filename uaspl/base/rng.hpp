// Draws random numbers: as NumPy and PyTorch do, word for word, and from named streams of our own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <string_view>
#include <vector>

namespace uaspl {

// The engine behind NumPy's legacy RandomState and PyTorch's CPU generator.
using Mt19937 = std::mt19937;

// numpy.random.RandomState.permutation(n).
std::vector<int> numpy_permutation(Mt19937& words, std::size_t n);

// torch.randperm(n) on the CPU.
std::vector<int> torch_permutation(Mt19937& words, std::size_t n);

// numpy.random.RandomState.choice(n): uniform on 0..n-1.
std::uint32_t numpy_below(Mt19937& words, std::size_t n);

// numpy.random.RandomState.random_sample(): uniform on [0, 1) with 53 bits.
double numpy_uniform(Mt19937& words);

// numpy.random.RandomState.choice(len(p), p=p).
std::size_t numpy_choice(Mt19937& words, std::span<const double> probabilities);

// torch.Tensor.uniform_(low, high) in float32, as CPUs with a fused multiply-add draw it.
float torch_uniform(Mt19937& words, float low, float high);

// splitmix64's finaliser: a good hash of 64 bits.
constexpr std::uint64_t mix_bits(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

// A stream of our own (splitmix64), independent of every other stream by seed, name and indices, so
// that no result depends on the order of draws between streams.
class Stream {
 public:
  explicit Stream(std::uint64_t state) : state_(state) {}
  Stream(std::uint64_t seed, std::string_view name, std::uint64_t a = 0, std::uint64_t b = 0);

  std::uint64_t word() { return mix_bits(state_ += 0x9e3779b97f4a7c15ULL); }
  double uniform() { return static_cast<double>(word() >> 11) * 0x1p-53; }
  double normal();                       // mean 0, variance 1
  double gumbel();                       // location 0, scale 1
  std::uint64_t below(std::uint64_t n);  // 0..n-1, without bias
  void shuffle(std::span<int> items);

 private:
  std::uint64_t state_;
};

}  // namespace uaspl
