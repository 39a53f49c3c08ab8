// Unpacks gzip by zlib, see gunzip.hpp.
#include "uaspl/io/gunzip.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <array>

#include "uaspl/base/error.hpp"

namespace uaspl {

struct GunzipSource::Stream {
  z_stream z{};
  std::array<char, 1 << 16> block;
  bool between = false;  // a member has ended, and no other has begun
  Stream() {
    if (inflateInit2(&z, MAX_WBITS + 16) != Z_OK) throw Error("zlib could not be started");
  }
  ~Stream() { inflateEnd(&z); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
};

GunzipSource::GunzipSource(std::unique_ptr<ByteSource> packed, std::string name)
    : packed_(std::move(packed)), name_(std::move(name)), stream_(std::make_unique<Stream>()) {}

GunzipSource::~GunzipSource() = default;

void GunzipSource::rewind() {
  packed_->rewind();
  inflateReset(&stream_->z);
  stream_->z.avail_in = 0;
  stream_->between = false;
}

std::size_t GunzipSource::read(char* to, std::size_t room) {
  constexpr std::size_t kMostAtOnce = std::size_t{1} << 30;  // zlib counts with 32 bits
  z_stream& z = stream_->z;
  const auto wanted = static_cast<uInt>(std::min(room, kMostAtOnce));
  z.next_out = reinterpret_cast<Bytef*>(to);
  z.avail_out = wanted;
  while (z.avail_out == wanted) {
    if (z.avail_in == 0 && !fill()) {
      if (stream_->between) return 0;
      fail("the packed data end too early");
    }
    if (!stream_->between || begin_member()) unpack_some();
  }
  return wanted - z.avail_out;
}

bool GunzipSource::fill() {
  const std::size_t got = packed_->read(stream_->block.data(), stream_->block.size());
  stream_->z.next_in = reinterpret_cast<Bytef*>(stream_->block.data());
  stream_->z.avail_in = static_cast<uInt>(got);
  return got > 0;
}

// Looks at what follows a member: zeros, which are passed over, or a further one.
bool GunzipSource::begin_member() {
  z_stream& z = stream_->z;
  for (; z.avail_in > 0 && *z.next_in == 0; ++z.next_in) --z.avail_in;
  if (z.avail_in == 0) return false;
  if (*z.next_in != 0x1f) fail("other bytes follow the packed data");
  inflateReset(&z);
  stream_->between = false;
  return true;
}

void GunzipSource::unpack_some() {
  const int code = ::inflate(&stream_->z, Z_NO_FLUSH);
  stream_->between = code == Z_STREAM_END;
  if (code == Z_OK || code == Z_STREAM_END || code == Z_BUF_ERROR) return;
  fail(fmt::format("the packed data are damaged ({})",
                   stream_->z.msg ? stream_->z.msg : "zlib cannot read them"));
}

void GunzipSource::fail(const std::string& what) const {
  throw Error(fmt::format("{}: {}", name_, what));
}

}  // namespace uaspl
