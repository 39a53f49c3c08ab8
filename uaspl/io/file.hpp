// Writing files safely: whole or not at all, or as a journal that keeps all that was written to it.
#pragma once

#include <filesystem>
#include <string_view>

namespace uaspl {

// An open file for writing; errors are thrown with the path and the system's reason.
class OutputFile {
 public:
  explicit OutputFile(std::filesystem::path path);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  const std::filesystem::path& path() const { return path_; }
  bool is_open() const { return descriptor_ >= 0; }
  void write(std::string_view bytes);  // has reached the system before it returns
  void sync();
  void close();
  void remove();
  [[noreturn]] void fail(const char* what) const;

 private:
  std::filesystem::path path_;
  int descriptor_ = -1;
};

// A file that stays behind unless it is removed.
using Journal = OutputFile;

// Whether something else than a file is there, a device or a pipe, which must not be replaced.
bool is_special_file(const std::filesystem::path& path);

// Written beside its place, synced and renamed: it is there whole or not at all. A link is
// followed; a device or a pipe is written to directly.
class AtomicFile {
 public:
  // Opens `path` + ".part"; fails at once where the place cannot be written.
  explicit AtomicFile(const std::filesystem::path& path);
  ~AtomicFile();  // without a commit, nothing is left behind
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(std::string_view bytes) { part_.write(bytes); }
  void commit();

 private:
  std::filesystem::path path_;
  bool direct_;  // the place is a device or a pipe
  OutputFile part_;
  bool committed_ = false;
};

}  // namespace uaspl
