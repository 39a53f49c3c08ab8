// Computes MD5 sums (RFC 1321), which are published with the files of image data sets. They detect
// damage, but do not protect against attacks.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace uaspl {

// Computes the sum of bytes that arrive in pieces.
class Md5 {
 public:
  void add(std::string_view bytes);
  std::string digest() const;  // 32 hexadecimal digits, of all that was added so far

 private:
  std::array<std::uint32_t, 4> hash_ = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476};
  std::array<char, 64> rest_{};  // bytes that do not fill a block yet
  std::uint64_t bytes_ = 0;
};

std::string md5(std::string_view bytes);

}  // namespace uaspl
