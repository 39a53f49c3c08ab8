// Writing a file so that it is there whole or not at all: written beside, synced, renamed.
#pragma once

#include <filesystem>
#include <string_view>

namespace uaspl {

class AtomicFile {
 public:
  // Opens `path` + ".part"; fails at once where the place cannot be written.
  explicit AtomicFile(std::filesystem::path path);
  ~AtomicFile();  // without a commit, the part file is removed
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(std::string_view bytes);  // reaches the part file before it returns
  void commit();                       // sync, rename, sync the folder

 private:
  [[noreturn]] void fail(const char* what) const;

  std::filesystem::path path_;
  std::filesystem::path part_;
  int descriptor_ = -1;
};

}  // namespace uaspl
