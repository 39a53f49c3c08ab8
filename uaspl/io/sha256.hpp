// SHA-256 (FIPS 180-4), to identify files.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace uaspl {

// Computes the sum of bytes that arrive in pieces. Uses the processor's SHA instructions if it has
// them, unless it is to be portable.
class Sha256 {
 public:
  using Hash = std::array<std::uint32_t, 8>;

  explicit Sha256(bool portable = false);
  void add(std::string_view bytes);
  std::string digest() const;  // 64 hexadecimal digits, of all that was added so far

 private:
  using AddBlocks = void (*)(Hash& hash, const unsigned char* data, std::size_t blocks);

  AddBlocks add_;
  Hash hash_ = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<unsigned char, 64> rest_{};  // bytes that do not fill a block yet
  std::uint64_t bytes_ = 0;
};

std::string sha256(std::string_view bytes);

}  // namespace uaspl
