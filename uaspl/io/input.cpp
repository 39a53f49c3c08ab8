// The bytes of a file over POSIX calls, see input.hpp.
#include "uaspl/io/input.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <cstring>
#include <new>
#include <system_error>

#include "uaspl/base/error.hpp"

namespace uaspl {
namespace {

// Enough that calls of the system do not count, little enough for the second-level cache.
constexpr std::size_t kBlock = 1 << 18;
// A record of fewer bytes is handed on as soon as something arrives: a pipe may be slow.
constexpr std::size_t kShort = 1 << 12;

bool operator==(const std::timespec& a, const std::timespec& b) {
  return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

}  // namespace

Input::Input(const std::filesystem::path& path)
    : name_(path == "-" ? "standard input" : path.string()) {
  descriptor_ = path == "-" ? ::dup(STDIN_FILENO) : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor_ < 0) fail("cannot be opened for reading");
  struct stat status {};
  if (::fstat(descriptor_, &status) != 0) fail("cannot be read");
  if (S_ISDIR(status.st_mode)) {
    ::close(descriptor_);
    throw Error(fmt::format("{}: is a directory, expected a file", name_));
  }
  // Of standard input somebody may have read the beginning.
  if (S_ISREG(status.st_mode) && ::lseek(descriptor_, 0, SEEK_CUR) == 0)
    stamp_ = Stamp{status.st_size, status.st_mtim};
}

Input::~Input() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

std::size_t Input::more(std::size_t passed) {
  if (ended_) return 0;
  const std::size_t left = view_.size() - passed;
  if (left > longest_)
    throw Error(fmt::format("{}: a record of more than {} MB, which packed files may not have",
                            name_, longest_ >> 20));
  if (passed > 0 && left > 0) std::memmove(buffer_.get(), view_.data() + passed, left);
  view_ = {buffer_.get(), left};
  dropped_ += passed;
  reserve(std::max(kBlock, 2 * left));
  const std::size_t enough = left + (left > kShort ? left : 1);
  while (view_.size() < enough && !ended_) read_some();
  return passed;
}

void Input::read_all() {
  assert(dropped_ == 0);
  // One byte more than the file has shows its end.
  if (stamp_) reserve(static_cast<std::size_t>(stamp_->bytes) + 1);
  while (!ended_) {
    if (view_.size() == capacity_) reserve(std::max(kBlock, 2 * capacity_));
    read_some();
  }
}

void Input::rewind() {
  if (dropped_ == 0) return;
  assert(stamp_ || source_);
  if (source_) source_->rewind();
  dropped_ = 0;
  view_ = {};
  ended_ = false;
}

void Input::keep_rewindable() {
  if (!stamp_ && !source_) read_all();
}

// The room is not filled with zeros: the system gives untouched memory for nothing, and moves what
// is there without copying it if it is much.
void Input::reserve(std::size_t bytes) {
  if (bytes <= capacity_) return;
  void* const larger = std::realloc(buffer_.get(), bytes);
  if (!larger) throw std::bad_alloc();
  static_cast<void>(buffer_.release());  // realloc() has freed it
  buffer_.reset(static_cast<char*>(larger));
  capacity_ = bytes;
  view_ = {buffer_.get(), view_.size()};
}

std::size_t Input::read_at(std::size_t place, char* to, std::size_t room) const {
  ssize_t got = 0;
  do got = ::pread(descriptor_, to, room, static_cast<off_t>(place));
  while (got < 0 && errno == EINTR);
  if (got < 0) fail("reading failed");
  check_unchanged();
  return static_cast<std::size_t>(got);
}

// Reads once, as much as the buffer has room for.
void Input::read_some() {
  char* const to = buffer_.get() + view_.size();
  const std::size_t room = capacity_ - view_.size();
  const std::size_t got = source_  ? source_->read(to, room)
                          : stamp_ ? read_at(dropped_ + view_.size(), to, room)
                                   : read_pipe(to, room);
  ended_ = got == 0;
  view_ = {buffer_.get(), view_.size() + got};
}

std::size_t Input::read_pipe(char* to, std::size_t room) const {
  ssize_t got = 0;
  do got = ::read(descriptor_, to, room);
  while (got < 0 && errno == EINTR);
  if (got < 0) fail("reading failed");
  return static_cast<std::size_t>(got);
}

void Input::check_unchanged() const {
  struct stat now {};
  if (::fstat(descriptor_, &now) != 0) fail("cannot be read");
  if (now.st_size != stamp_->bytes || !(now.st_mtim == stamp_->modified))
    throw Error(fmt::format("{}: changed while it was read", name_));
}

void Input::fail(const char* what) const {
  const std::string reason = std::generic_category().message(errno);
  throw Error(fmt::format("{}: {}: {}", name_, what, reason));
}

}  // namespace uaspl
