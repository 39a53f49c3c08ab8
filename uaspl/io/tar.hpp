// Reads the files in a tar archive, one after the other.
#pragma once

#include <cstddef>
#include <string>

#include "uaspl/io/unpack.hpp"

namespace uaspl {

// Reads POSIX (ustar) and older archives. Folders, links and the like are passed over.
class TarReader {
 public:
  explicit TarReader(Unpacker& bytes) : bytes_(bytes) {}

  // Goes on to the next file, passing over what is left of this one; false at the end.
  bool next();
  const std::string& name() const { return name_; }  // with its folders
  std::size_t size() const { return size_; }
  // The bytes of this file; at most size() may be read from where it begins.
  Unpacker& bytes() { return bytes_; }

 private:
  void parse_header(const char* header);

  Unpacker& bytes_;
  std::string name_;
  std::size_t size_ = 0;
  std::size_t next_ = 0;  // position of the next header
  bool is_file_ = false;
};

}  // namespace uaspl
