// Writes files safely: whole or not at all, or as a journal that keeps all that was written to it.
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
  void write(std::string_view bytes);  // the system has the bytes when it returns
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

// Says whether the path is a device or a pipe, which must not be replaced by a file.
bool is_special_file(const std::filesystem::path& path);

// A file that is written beside its place, synced and renamed, so that it is there whole or not at
// all. A link is followed; a device or a pipe is written to directly.
class AtomicFile {
 public:
  // Opens `path` + ".part"; throws at once if the place cannot be written.
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
