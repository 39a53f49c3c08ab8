// Locks between processes, see file_lock.hpp.
#include "uaspl/base/file_lock.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "uaspl/base/error.hpp"

namespace uaspl {
namespace {

// Byte ranges as locks; they belong to the open file, not to the process, so that other code that
// opens and closes the file cannot drop them.
bool set_lock(int file, short type, std::uint64_t number) {
  struct flock range {};
  range.l_type = type;
  range.l_whence = SEEK_SET;
  range.l_start = static_cast<off_t>(number >> 2);  // offsets are signed
  range.l_len = 1;
  return fcntl(file, F_OFD_SETLK, &range) == 0;
}

}  // namespace

FileLocks::FileLocks(const std::filesystem::path& path)
    : file_(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644)), path_(path) {
  if (file_ < 0) throw Error(path.string() + ": " + std::generic_category().message(errno));
}

// Whoever comes next makes a new one. Should two processes then each have a file of their own, they
// do some work twice, nothing worse.
FileLocks::~FileLocks() {
  std::error_code ignored;
  std::filesystem::remove(path_, ignored);
  close(file_);
}

FileLocks::Held::Held(Held&& other) noexcept
    : file_(std::exchange(other.file_, -1)), number_(other.number_) {}

FileLocks::Held::~Held() {
  if (file_ >= 0) set_lock(file_, F_UNLCK, number_);
}

std::optional<FileLocks::Held> FileLocks::try_lock(std::uint64_t number) {
  if (!set_lock(file_, F_WRLCK, number)) return std::nullopt;
  return Held(file_, number);
}

}  // namespace uaspl
