// MD5, see md5.hpp.
#include "uaspl/io/md5.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

namespace uaspl {
namespace {

// floor(2^32 |sin(i + 1)|)
constexpr std::array<std::uint32_t, 64> kSine = {
    0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee, 0xf57c0faf, 0x4787c62a, 0xa8304613, 0xfd469501,
    0x698098d8, 0x8b44f7af, 0xffff5bb1, 0x895cd7be, 0x6b901122, 0xfd987193, 0xa679438e, 0x49b40821,
    0xf61e2562, 0xc040b340, 0x265e5a51, 0xe9b6c7aa, 0xd62f105d, 0x02441453, 0xd8a1e681, 0xe7d3fbc8,
    0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed, 0xa9e3e905, 0xfcefa3f8, 0x676f02d9, 0x8d2a4c8a,
    0xfffa3942, 0x8771f681, 0x6d9d6122, 0xfde5380c, 0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70,
    0x289b7ec6, 0xeaa127fa, 0xd4ef3085, 0x04881d05, 0xd9d4d039, 0xe6db99e5, 0x1fa27cf8, 0xc4ac5665,
    0xf4292244, 0x432aff97, 0xab9423a7, 0xfc93a039, 0x655b59c3, 0x8f0ccc92, 0xffeff47d, 0x85845dd1,
    0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1, 0xf7537e82, 0xbd3af235, 0x2ad7d2bb, 0xeb86d391};
constexpr int kTurn[4][4] = {{7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}};

void add_block(std::array<std::uint32_t, 4>& hash, const char* block) {
  std::array<std::uint32_t, 16> w{};
  static_assert(std::endian::native == std::endian::little);
  std::memcpy(w.data(), block, 64);
  std::uint32_t a = hash[0];
  std::uint32_t b = hash[1];
  std::uint32_t c = hash[2];
  std::uint32_t d = hash[3];
  const auto step = [&](std::size_t i, std::uint32_t mixed, std::size_t word) {
    const std::uint32_t sum = a + mixed + kSine[i] + w[word % 16];
    a = d, d = c, c = b, b += std::rotl(sum, kTurn[i / 16][i % 4]);
  };
#pragma GCC unroll 16
  for (std::size_t i = 0; i < 16; ++i) step(i, (b & c) | (~b & d), i);
#pragma GCC unroll 16
  for (std::size_t i = 16; i < 32; ++i) step(i, (d & b) | (~d & c), 5 * i + 1);
#pragma GCC unroll 16
  for (std::size_t i = 32; i < 48; ++i) step(i, b ^ c ^ d, 3 * i + 5);
#pragma GCC unroll 16
  for (std::size_t i = 48; i < 64; ++i) step(i, c ^ (b | ~d), 7 * i);
  hash[0] += a, hash[1] += b, hash[2] += c, hash[3] += d;
}

}  // namespace

void Md5::add(std::string_view bytes) {
  while (!bytes.empty()) {
    const std::size_t kept = bytes_ % 64;
    if (kept == 0 && bytes.size() >= 64) {
      add_block(hash_, bytes.data());
      bytes_ += 64;
      bytes.remove_prefix(64);
      continue;
    }
    const std::size_t taken = std::min(64 - kept, bytes.size());
    std::copy_n(bytes.data(), taken, rest_.data() + kept);
    bytes_ += taken;
    bytes.remove_prefix(taken);
    if (bytes_ % 64 == 0) add_block(hash_, rest_.data());
  }
}

std::string Md5::digest() const {
  // A one bit, zeros, and the length in bits.
  Md5 last = *this;
  std::string tail = "\x80";
  while ((bytes_ + tail.size()) % 64 != 56) tail += '\0';
  for (int shift = 0; shift < 64; shift += 8) tail += static_cast<char>(bytes_ * 8 >> shift & 0xFF);
  last.add(tail);
  std::string text;
  for (const std::uint32_t word : last.hash_)
    for (int shift = 0; shift < 32; shift += 8) text += fmt::format("{:02x}", word >> shift & 0xFF);
  return text;
}

std::string md5(std::string_view bytes) {
  Md5 all;
  all.add(bytes);
  return all.digest();
}

}  // namespace uaspl
