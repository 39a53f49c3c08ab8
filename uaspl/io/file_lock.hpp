// Locks between processes that share work: one for each number, all in one file. The system takes
// them back when a process ends, however it ends.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <utility>

namespace uaspl {

class FileLocks {
 public:
  // Creates the file if it is missing.
  explicit FileLocks(const std::filesystem::path& path);
  ~FileLocks();
  FileLocks(const FileLocks&) = delete;
  FileLocks& operator=(const FileLocks&) = delete;

  // A lock that is held until this object is destroyed.
  class Held {
   public:
    Held(Held&& other) noexcept;
    ~Held();
    Held(const Held&) = delete;
    Held& operator=(const Held&) = delete;
    Held& operator=(Held&& other) noexcept {
      std::swap(file_, other.file_);
      std::swap(number_, other.number_);
      return *this;
    }

   private:
    friend class FileLocks;
    Held(int file, std::uint64_t number) : file_(file), number_(number) {}
    int file_;
    std::uint64_t number_;
  };

  std::optional<Held> try_lock(std::uint64_t number);  // nothing if another process has it

 private:
  int file_;
  std::filesystem::path path_;
};

}  // namespace uaspl
