// SHA-256, see sha256.hpp. It is written out here because a cryptographic library would have to be
// loaded at every start.
#include "uaspl/io/sha256.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#endif

namespace uaspl {
namespace {

constexpr std::array<std::uint32_t, 64> kRound = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

using Hash = Sha256::Hash;

void add_block(Hash& hash, const unsigned char* block) {
  std::array<std::uint32_t, 64> w{};
  for (std::size_t i = 0; i < 16; ++i)
    w[i] = static_cast<std::uint32_t>(block[4 * i]) << 24 |
           static_cast<std::uint32_t>(block[4 * i + 1]) << 16 |
           static_cast<std::uint32_t>(block[4 * i + 2]) << 8 | block[4 * i + 3];
  for (std::size_t i = 16; i < 64; ++i) {
    const std::uint32_t s0 = std::rotr(w[i - 15], 7) ^ std::rotr(w[i - 15], 18) ^ (w[i - 15] >> 3);
    const std::uint32_t s1 = std::rotr(w[i - 2], 17) ^ std::rotr(w[i - 2], 19) ^ (w[i - 2] >> 10);
    w[i] = w[i - 16] + s0 + w[i - 7] + s1;
  }
  auto [a, b, c, d, e, f, g, h] = hash;
  for (std::size_t i = 0; i < 64; ++i) {
    const std::uint32_t s1 = std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25);
    const std::uint32_t t1 = h + s1 + ((e & f) ^ (~e & g)) + kRound[i] + w[i];
    const std::uint32_t s0 = std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22);
    const std::uint32_t t2 = s0 + ((a & b) ^ (a & c) ^ (b & c));
    h = g, g = f, f = e, e = d + t1, d = c, c = b, b = a, a = t1 + t2;
  }
  const Hash sum = {a, b, c, d, e, f, g, h};
  for (std::size_t i = 0; i < 8; ++i) hash[i] += sum[i];
}

using AddBlocks = void (*)(Hash& hash, const unsigned char* data, std::size_t blocks);

void add_blocks(Hash& hash, const unsigned char* data, std::size_t blocks) {
  for (std::size_t i = 0; i < blocks; ++i) add_block(hash, data + 64 * i);
}

#if defined(__x86_64__)
// Does four rounds an iteration; the instructions want the words of the hash as (a b e f) and (c d
// g h).
__attribute__((target("sha,sse4.1"))) void add_blocks_sha(Hash& hash, const unsigned char* data,
                                                          std::size_t blocks) {
  const auto load = [](const void* from) __attribute__((target("sha,sse4.1"))) {
    return _mm_loadu_si128(static_cast<const __m128i*>(from));
  };
  const __m128i big_endian = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
  const __m128i cdab = _mm_shuffle_epi32(load(hash.data()), 0xB1);
  const __m128i efgh = _mm_shuffle_epi32(load(hash.data() + 4), 0x1B);
  __m128i abef = _mm_alignr_epi8(cdab, efgh, 8);
  __m128i cdgh = _mm_blend_epi16(efgh, cdab, 0xF0);
  for (std::size_t block = 0; block < blocks; ++block) {
    const __m128i old_abef = abef;
    const __m128i old_cdgh = cdgh;
    __m128i w[4];
    for (std::size_t i = 0; i < 4; ++i)
      w[i] = _mm_shuffle_epi8(load(data + 64 * block + 16 * i), big_endian);
#pragma GCC unroll 16
    for (std::size_t i = 0; i < 16; ++i) {
      const __m128i sum = _mm_add_epi32(w[i % 4], load(kRound.data() + 4 * i));
      cdgh = _mm_sha256rnds2_epu32(cdgh, abef, sum);
      abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(sum, 0x0E));
      const __m128i last = w[(i + 3) % 4];
      const __m128i middle = _mm_alignr_epi8(last, w[(i + 2) % 4], 4);
      const __m128i first = _mm_sha256msg1_epu32(w[i % 4], w[(i + 1) % 4]);
      w[i % 4] = _mm_sha256msg2_epu32(_mm_add_epi32(first, middle), last);
    }
    abef = _mm_add_epi32(abef, old_abef);
    cdgh = _mm_add_epi32(cdgh, old_cdgh);
  }
  const __m128i feba = _mm_shuffle_epi32(abef, 0x1B);
  const __m128i dchg = _mm_shuffle_epi32(cdgh, 0xB1);
  _mm_storeu_si128(reinterpret_cast<__m128i*>(hash.data()), _mm_blend_epi16(feba, dchg, 0xF0));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(hash.data() + 4), _mm_alignr_epi8(dchg, feba, 8));
}

bool has_sha_instructions() {
  unsigned a = 0;
  unsigned b = 0;
  unsigned c = 0;
  unsigned d = 0;
  if (__get_cpuid(1, &a, &b, &c, &d) == 0 || (c & bit_SSE4_1) == 0) return false;
  constexpr unsigned kSha = 1U << 29;
  return __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (b & kSha) != 0;
}

AddBlocks best_add_blocks() { return has_sha_instructions() ? add_blocks_sha : add_blocks; }
#else
AddBlocks best_add_blocks() { return add_blocks; }
#endif

}  // namespace

Sha256::Sha256(bool portable) {
  static const AddBlocks kBest = best_add_blocks();
  add_ = portable ? add_blocks : kBest;
}

void Sha256::add(std::string_view bytes) {
  if (const std::size_t kept = bytes_ % 64; kept > 0) {
    const std::size_t taken = std::min(64 - kept, bytes.size());
    std::copy_n(bytes.data(), taken, rest_.data() + kept);
    bytes_ += taken;
    bytes.remove_prefix(taken);
    if (bytes_ % 64 != 0) return;
    add_(hash_, rest_.data(), 1);
  }
  const std::size_t blocks = bytes.size() / 64;
  add_(hash_, reinterpret_cast<const unsigned char*>(bytes.data()), blocks);
  bytes_ += bytes.size();
  bytes.remove_prefix(64 * blocks);
  std::ranges::copy(bytes, rest_.begin());
}

std::string Sha256::digest() const {
  // A one bit, zeros, and the length in bits.
  Sha256 last = *this;
  std::string tail = "\x80";
  while ((bytes_ + tail.size()) % 64 != 56) tail += '\0';
  for (int shift = 56; shift >= 0; shift -= 8)
    tail += static_cast<char>(bytes_ * 8 >> shift & 0xFF);
  last.add(tail);
  std::string text;
  for (const std::uint32_t word : last.hash_) text += fmt::format("{:08x}", word);
  return text;
}

std::string sha256(std::string_view bytes) {
  Sha256 all;
  all.add(bytes);
  return all.digest();
}

}  // namespace uaspl
