// Bytes from front to back, unpacked on the way where they are packed by gzip or zlib.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "uaspl/io/md5.hpp"

namespace uaspl {

enum class Packing { kNone, kGzipOrNone, kZlib };

// Nothing is allocated by what the bytes say of themselves: memory is bounded by what is asked for,
// and a demand that the bytes cannot meet is refused before.
class Unpacker {
 public:
  // The bytes must outlive this; the name is for messages. gzip is found by its magic.
  Unpacker(std::string_view bytes, std::string name, Packing packing = Packing::kGzipOrNone);
  ~Unpacker();
  Unpacker(const Unpacker&) = delete;
  Unpacker& operator=(const Unpacker&) = delete;

  // As many bytes as there are, up to `count`.
  std::size_t read_some(void* to, std::size_t count);
  // All of them, or an error.
  void read(void* to, std::size_t count);
  std::vector<std::uint8_t> read(std::size_t count);
  void skip(std::size_t count);
  // Nothing may follow, and what packed data say of their own sum must be right.
  void finish();
  // Reads and drops what follows.
  void drain();

  // Adds all bytes that are read from now on to a sum.
  void watch(Md5* sum) { watch_ = sum; }
  std::size_t position() const { return position_; }
  const std::string& name() const { return name_; }
  [[noreturn]] void fail(std::string_view what) const;

 private:
  std::size_t inflate_some(void* to, std::size_t count);
  void expect_at_least(std::size_t count) const;

  struct Stream;
  std::string_view rest_;           // not yet read
  std::unique_ptr<Stream> stream_;  // where the bytes are packed
  std::string name_;
  std::size_t position_ = 0;  // of the unpacked bytes
  Md5* watch_ = nullptr;
};

bool is_gzip(std::string_view bytes);

}  // namespace uaspl
