// Switches denormal numbers off, because they are slow to compute with.
#pragma once

#include <cstdint>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace uaspl {

// While an object of this class lives, its thread takes numbers that are too small to be normal
// (below 1e-38 for floats) as zeros. Processors may take a hundred times as long to compute with
// them, and there are many once a network is sure of its rows.
class WithoutDenormals {
 public:
  WithoutDenormals() : before_(mode()) { set_mode(before_ | kFlush); }
  ~WithoutDenormals() { set_mode(before_); }
  WithoutDenormals(const WithoutDenormals&) = delete;
  WithoutDenormals& operator=(const WithoutDenormals&) = delete;

 private:
#if defined(__x86_64__)
  static constexpr std::uint64_t kFlush = 0x8040;  // both results and operands
  static std::uint64_t mode() { return _mm_getcsr(); }
  static void set_mode(std::uint64_t mode) { _mm_setcsr(static_cast<unsigned>(mode)); }
#elif defined(__aarch64__)
  static constexpr std::uint64_t kFlush = std::uint64_t{1} << 24;
  static std::uint64_t mode() {
    std::uint64_t mode = 0;
    asm volatile("mrs %0, fpcr" : "=r"(mode));
    return mode;
  }
  static void set_mode(std::uint64_t mode) { asm volatile("msr fpcr, %0" : : "r"(mode)); }
#else
  static constexpr std::uint64_t kFlush = 0;
  static std::uint64_t mode() { return 0; }
  static void set_mode(std::uint64_t) {}
#endif

  std::uint64_t before_;
};

}  // namespace uaspl
