// Unpacks a stream of gzip while it is read, however long it is.
#pragma once

#include <memory>
#include <string>

#include "uaspl/io/input.hpp"

namespace uaspl {

// Several members, one after the other, are one text, as for gzip itself; so are zeros behind them.
// Memory is a block; time grows with what is unpacked, at most 1,032 times the packed bytes.
class GunzipSource final : public ByteSource {
 public:
  // `name` is for messages.
  GunzipSource(std::unique_ptr<ByteSource> packed, std::string name);
  ~GunzipSource() override;
  std::size_t read(char* to, std::size_t room) override;
  void rewind() override;

 private:
  bool fill();
  bool begin_member();
  void unpack_some();
  [[noreturn]] void fail(const std::string& what) const;

  struct Stream;
  std::unique_ptr<ByteSource> packed_;
  std::string name_;
  std::unique_ptr<Stream> stream_;
};

}  // namespace uaspl
