// Atomic files over POSIX calls, see file.hpp.
#include "uaspl/base/file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "uaspl/base/error.hpp"

namespace uaspl {

AtomicFile::AtomicFile(std::filesystem::path path) : path_(std::move(path)), part_(path_) {
  part_ += ".part";
  if (std::filesystem::is_directory(path_))
    throw Error(fmt::format("{}: is a directory, expected a file to write", path_.string()));
  descriptor_ = open(part_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (descriptor_ < 0) fail("cannot be written");
}

AtomicFile::~AtomicFile() {
  if (descriptor_ < 0) return;
  close(descriptor_);
  std::error_code ignored;
  std::filesystem::remove(part_, ignored);
}

void AtomicFile::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail("writing failed");
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

void AtomicFile::commit() {
  if (fsync(descriptor_) != 0) fail("writing failed");
  if (close(std::exchange(descriptor_, -1)) != 0) fail("writing failed");
  if (rename(part_.c_str(), path_.c_str()) != 0) fail("cannot be put in place");
  const std::filesystem::path folder = path_.has_parent_path() ? path_.parent_path() : ".";
  const int descriptor = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;  // some file systems do not allow it; the rename is done
  fsync(descriptor);
  close(descriptor);
}

void AtomicFile::fail(const char* what) const {
  throw Error(fmt::format("{}: {}: {}", path_.string(), what, std::generic_category().message(errno)));
}

}  // namespace uaspl
