// The bytes of a file over POSIX calls, see input.hpp.
#include "uaspl/io/input.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "uaspl/base/error.hpp"

namespace uaspl {

Input::Input(const std::filesystem::path& path)
    : name_(path == "-" ? "standard input" : path.string()) {
  descriptor_ = path == "-" ? ::dup(STDIN_FILENO) : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor_ < 0) fail("cannot be opened for reading");
  struct stat status {};
  if (::fstat(descriptor_, &status) != 0) fail("cannot be read");
  if (S_ISDIR(status.st_mode))
    throw Error(fmt::format("{}: is a directory, expected a file", name_));
  if (!S_ISREG(status.st_mode) || ::lseek(descriptor_, 0, SEEK_CUR) != 0) return;
  ended_ = true;
  if (status.st_size == 0) return;
  mapped_bytes_ = static_cast<std::size_t>(status.st_size);
  mapping_ = ::mmap(nullptr, mapped_bytes_, PROT_READ, MAP_PRIVATE, descriptor_, 0);
  if (mapping_ == MAP_FAILED) {
    mapping_ = nullptr;
    ended_ = false;  // read it instead
    return;
  }
  ::madvise(mapping_, mapped_bytes_, MADV_SEQUENTIAL);
  view_ = {static_cast<const char*>(mapping_), mapped_bytes_};
}

Input::~Input() {
  if (mapping_) ::munmap(mapping_, mapped_bytes_);
  if (descriptor_ >= 0) ::close(descriptor_);
}

std::size_t Input::more(std::size_t passed) {
  if (ended_) return 0;
  constexpr std::size_t kPiece = 1 << 18;
  buffer_.erase(0, passed);
  // The piece grows with the buffer, so that a record of any length costs linear time.
  grow(std::max(kPiece, buffer_.size()));
  return passed;
}

void Input::read_all() {
  while (!ended_) grow(std::max<std::size_t>(1 << 20, buffer_.size()));
}

void Input::grow(std::size_t bytes) {
  const std::size_t kept = buffer_.size();
  buffer_.resize(kept + bytes);
  ssize_t got = 0;
  do got = ::read(descriptor_, buffer_.data() + kept, bytes);
  while (got < 0 && errno == EINTR);
  if (got < 0) fail("reading failed");
  buffer_.resize(kept + static_cast<std::size_t>(got));
  ended_ = got == 0;
  view_ = buffer_;
}

void Input::fail(const char* what) const {
  throw Error(fmt::format("{}: {}: {}", name_, what, std::generic_category().message(errno)));
}

}  // namespace uaspl
