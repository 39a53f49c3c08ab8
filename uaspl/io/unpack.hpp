// Reads bytes from front to back, and unpacks them if they are packed by gzip or zlib.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "uaspl/io/md5.hpp"

namespace uaspl {

enum class Packing { kNone, kGzipOrNone, kZlib };

// Sizes stated in the bytes never decide what is allocated: memory is bounded by what the caller
// asks for, and a request that the bytes cannot meet is refused first.
class Unpacker {
 public:
  // The bytes must outlive this; the name is for messages. gzip is found by its magic.
  Unpacker(std::string_view bytes, std::string name, Packing packing = Packing::kGzipOrNone);
  ~Unpacker();
  Unpacker(const Unpacker&) = delete;
  Unpacker& operator=(const Unpacker&) = delete;

  // Reads as many bytes as there are, up to `count`.
  std::size_t read_some(void* to, std::size_t count);
  // Reads all `count` bytes, or throws.
  void read(void* to, std::size_t count);
  std::vector<std::uint8_t> read(std::size_t count);
  void skip(std::size_t count);
  // Throws if bytes follow, or if the checksum of packed data is wrong.
  void finish();
  // Reads and drops what follows.
  void drain();

  // Refuses bytes beyond so many from the beginning: a small packed file holds a thousand times as
  // many, and who reads it knows what it may hold.
  void limit(std::size_t most) { most_ = most; }

  // Adds all bytes that are read from now on to a sum.
  void watch(Md5* sum) { watch_ = sum; }
  std::size_t position() const { return position_; }
  const std::string& name() const { return name_; }
  [[noreturn]] void fail(std::string_view what) const;

 private:
  std::size_t inflate_some(void* to, std::size_t count);
  void expect_at_least(std::size_t count) const;

  struct Stream;
  std::string_view rest_;           // bytes not yet read
  std::unique_ptr<Stream> stream_;  // only if the bytes are packed
  std::string name_;
  std::size_t position_ = 0;  // in the unpacked bytes
  std::size_t most_ = std::numeric_limits<std::size_t>::max();
  Md5* watch_ = nullptr;
};

bool is_gzip(std::string_view bytes);

}  // namespace uaspl
