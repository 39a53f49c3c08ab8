// Unpacks bytes with zlib, see unpack.hpp.
#include "uaspl/io/unpack.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "uaspl/base/error.hpp"

namespace uaspl {
namespace {

// A deflate stream holds at most 258 bytes in two bits.
constexpr std::size_t kMostRatio = 1032;
// The counters of zlib have 32 bits.
constexpr std::size_t kMostAtOnce = std::size_t{1} << 30;

}  // namespace

struct Unpacker::Stream {
  z_stream z{};
  bool members;        // gzip: another stream may follow
  bool ended = false;  // the end of the last stream was seen

  Stream(Packing packing) : members(packing == Packing::kGzipOrNone) {
    if (inflateInit2(&z, members ? MAX_WBITS + 16 : MAX_WBITS) != Z_OK)
      throw Error("zlib could not be started");
  }
  ~Stream() { inflateEnd(&z); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
};

bool is_gzip(std::string_view bytes) { return bytes.starts_with("\x1f\x8b"); }

Unpacker::Unpacker(std::string_view bytes, std::string name, Packing packing)
    : rest_(bytes), name_(std::move(name)) {
  if (packing == Packing::kZlib || (packing == Packing::kGzipOrNone && is_gzip(bytes)))
    stream_ = std::make_unique<Stream>(packing);
}

Unpacker::~Unpacker() = default;

std::size_t Unpacker::read_some(void* to, std::size_t count) {
  std::size_t got = 0;
  if (stream_) {
    while (got < count && !stream_->ended)
      got += inflate_some(static_cast<char*>(to) + got, count - got);
  } else if (count > 0) {
    got = std::min(count, rest_.size());
    if (got > 0) std::memcpy(to, rest_.data(), got);
    rest_.remove_prefix(got);
  }
  if (watch_) watch_->add({static_cast<const char*>(to), got});
  position_ += got;
  if (position_ > most_) fail(fmt::format("holds more than the {} bytes that it may", most_));
  return got;
}

std::size_t Unpacker::inflate_some(void* to, std::size_t count) {
  z_stream& z = stream_->z;
  const auto wanted = static_cast<uInt>(std::min(count, kMostAtOnce));
  const auto given = static_cast<uInt>(std::min(rest_.size(), kMostAtOnce));
  z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(rest_.data()));
  z.avail_in = given;
  z.next_out = static_cast<Bytef*>(to);
  z.avail_out = wanted;
  const int code = ::inflate(&z, Z_NO_FLUSH);
  rest_.remove_prefix(given - z.avail_in);
  if (code == Z_STREAM_END) {
    stream_->ended = !(stream_->members && is_gzip(rest_));
    if (!stream_->ended) inflateReset(&z);
  } else if (code == Z_BUF_ERROR) {  // there is room, so bytes are missing
    fail("the packed data end too early");
  } else if (code != Z_OK) {
    fail(fmt::format("the packed data are damaged ({})", z.msg ? z.msg : "zlib cannot read them"));
  }
  return wanted - z.avail_out;
}

void Unpacker::read(void* to, std::size_t count) {
  const std::size_t begin = position_;
  const std::size_t got = read_some(to, count);
  if (got < count)
    fail(fmt::format("ends at byte {}, expected {} bytes from byte {}", begin + got, count, begin));
}

void Unpacker::expect_at_least(std::size_t count) const {
  if (count > most_ || position_ > most_ - count)
    fail(fmt::format("{} bytes from byte {}, and it may hold {}", count, position_, most_));
  const std::size_t most = stream_ ? (rest_.size() + 64) * kMostRatio : rest_.size();
  if (count > most)
    fail(fmt::format("too short: {} more bytes cannot hold {}", rest_.size(), count));
}

std::vector<std::uint8_t> Unpacker::read(std::size_t count) {
  expect_at_least(count);
  // Beyond a usual size, memory is taken only as bytes really arrive.
  constexpr std::size_t kUsual = std::size_t{1} << 28;
  std::vector<std::uint8_t> bytes;
  while (bytes.size() < count) {
    const std::size_t before = bytes.size();
    bytes.resize(std::min(count, std::max(kUsual, 2 * before)));
    read(bytes.data() + before, bytes.size() - before);
  }
  return bytes;
}

void Unpacker::skip(std::size_t count) {
  expect_at_least(count);
  std::array<char, 1 << 16> dropped;
  while (count > 0) {
    const std::size_t piece = std::min(count, dropped.size());
    read(dropped.data(), piece);
    count -= piece;
  }
}

void Unpacker::finish() {
  char more = 0;
  if (read_some(&more, 1) > 0) fail(fmt::format("goes on after byte {}", position_ - 1));
  if (!rest_.empty()) fail(fmt::format("{} bytes follow its packed data", rest_.size()));
}

void Unpacker::drain() {
  std::array<char, 1 << 16> dropped;
  while (read_some(dropped.data(), dropped.size()) > 0) {
  }
}

void Unpacker::fail(std::string_view what) const {
  throw Error(fmt::format("{}: {}", name_, what));
}

}  // namespace uaspl
