// Names of files that must not stay: they are removed when their owner is destroyed, and when a
// signal ends the program.
#pragma once

#include <atomic>
#include <filesystem>

namespace uaspl {

// The name of a temporary file, which is removed in the end, if it is there.
class TemporaryName {
 public:
  explicit TemporaryName(std::filesystem::path path);
  ~TemporaryName();
  TemporaryName(const TemporaryName&) = delete;
  TemporaryName& operator=(const TemporaryName&) = delete;

  const std::filesystem::path& path() const { return path_; }
  void release();  // nothing of this name is to be removed any more

 private:
  std::filesystem::path path_;
  std::size_t slot_;  // in the list for signals
};

// Removes the temporary files of this process. The library itself never calls it: it is for the
// signal handlers of a program, where no destructor runs, and safe there.
void remove_temporary_files();

}  // namespace uaspl
