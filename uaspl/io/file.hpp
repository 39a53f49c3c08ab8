// Writes files safely: whole or not at all, or under a name that is known and taken up again.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "uaspl/io/temporary_name.hpp"

namespace uaspl {

// An open file for writing; errors are thrown with its name and the system's reason.
class OutputFile {
 public:
  // `path` is how messages call the file; `descriptor` is closed in the end.
  OutputFile(std::filesystem::path path, int descriptor);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  const std::filesystem::path& path() const { return path_; }
  int descriptor() const { return descriptor_; }
  void write(std::string_view bytes);  // the system has the bytes when it returns
  void sync();
  void close();
  [[noreturn]] void fail(const char* what) const;

 private:
  std::filesystem::path path_;
  int descriptor_;
};

// Says whether the path is a device or a pipe, which must not be replaced by a file.
bool is_special_file(const std::filesystem::path& path);

// Returns where the bytes of an output will be: the target, if the path is a link, be it there or
// not.
std::filesystem::path final_place(const std::filesystem::path& path);

// A file that is there whole or not at all: written beside its place under a random name that
// nobody else can have taken, synced and renamed. It gets the mode, owner and group of the file
// that it replaces. A link stays a link, and its target is replaced; a device or a pipe is written
// to directly.
class AtomicFile {
 public:
  explicit AtomicFile(const std::filesystem::path& path);  // throws if it cannot be written
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(std::string_view bytes) { output_.write(bytes); }
  void commit();  // without it, nothing is left behind

 private:
  int create();

  std::filesystem::path place_;
  std::optional<TemporaryName> part_;  // nothing: the place is a device or a pipe
  OutputFile output_;
};

// A file that is meant to stay under a known name if the program ends early: a journal, or the part
// of a download. It is never a link, a file with a second name or one of another user, and no two
// programs can have it open at the same time.
class KeptFile {
 public:
  enum class Begin {
    kNew,     // there must not be a file yet
    kAppend,  // what is there stays, and more is added to its end
    kEmpty,   // what is there is dropped, once the file is known to be ours
  };
  KeptFile(const std::filesystem::path& path, Begin begin);

  const std::filesystem::path& path() const { return output_.path(); }
  void write(std::string_view bytes) { output_.write(bytes); }
  std::uint64_t size() const;
  std::string read_all() const;  // of what is there, through no name that may lead elsewhere
  void cut(std::uint64_t size);  // drops the bytes that follow
  void empty() { cut(0); }
  void sync() { output_.sync(); }
  void put_in_place(const std::filesystem::path& place);  // syncs it and gives it another name
  void remove();

 private:
  OutputFile output_;
};

}  // namespace uaspl
