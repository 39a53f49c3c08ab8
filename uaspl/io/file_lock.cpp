// Locks between processes, see file_lock.hpp.
#include "uaspl/io/file_lock.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "uaspl/base/error.hpp"

namespace uaspl {
namespace {

// Sets a lock on a range of bytes. Such locks belong to the open file, not to the process, so that
// other code that opens and closes the file cannot drop them. A length of 0 is the whole file.
bool set_lock(int file, short type, std::uint64_t number, off_t length = 1) {
  struct flock range {};
  range.l_type = type;
  range.l_whence = SEEK_SET;
  range.l_start = static_cast<off_t>(number >> 2);  // offsets are signed
  range.l_len = length;
  for (;;) {
    if (fcntl(file, F_OFD_SETLK, &range) == 0) return true;
    if (errno == EAGAIN || errno == EACCES) return false;  // another process has it
    if (errno != EINTR)
      throw Error("files cannot be locked here: " + std::generic_category().message(errno));
  }
}

}  // namespace

FileLocks::FileLocks(const std::filesystem::path& path)
    : file_(open(path.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0644)), path_(path) {
  if (file_ < 0) throw Error(path.string() + ": " + std::generic_category().message(errno));
  struct stat status {};
  const bool ours = fstat(file_, &status) == 0 && S_ISREG(status.st_mode) && status.st_size == 0 &&
                    status.st_nlink <= 1;  // 0: another process has just removed it
  if (ours) return;
  close(file_);
  throw Error(path.string() +
              ": is in the place of a lock, which is an empty file; move or remove it");
}

// The last process to leave removes the file. A process that opened it just before then has a file
// of its own and may repeat some work of another; nothing worse can happen.
FileLocks::~FileLocks() {
  try {
    if (set_lock(file_, F_WRLCK, 0, 0)) {
      std::error_code ignored;
      std::filesystem::remove(path_, ignored);
    }
  } catch (const Error&) {  // the file stays
  }
  close(file_);
}

FileLocks::Held::Held(Held&& other) noexcept
    : file_(std::exchange(other.file_, -1)), number_(other.number_) {}

FileLocks::Held::~Held() {
  try {
    if (file_ >= 0) set_lock(file_, F_UNLCK, number_);
  } catch (const Error&) {  // the end of the process releases the lock
  }
}

std::optional<FileLocks::Held> FileLocks::try_lock(std::uint64_t number) {
  if (!set_lock(file_, F_WRLCK, number)) return std::nullopt;
  return Held(file_, number);
}

}  // namespace uaspl
