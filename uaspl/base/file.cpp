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

OutputFile::OutputFile(std::filesystem::path path) : path_(std::move(path)) {
  descriptor_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (descriptor_ < 0) fail("cannot be written");
}

OutputFile::~OutputFile() {
  if (is_open()) ::close(descriptor_);
}

void OutputFile::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail("writing failed");
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

void OutputFile::sync() {
  if (::fsync(descriptor_) != 0) fail("writing failed");
}

void OutputFile::close() {
  if (::close(std::exchange(descriptor_, -1)) != 0) fail("writing failed");
}

void OutputFile::remove() {
  std::error_code ignored;
  std::filesystem::remove(path_, ignored);
}

void OutputFile::fail(const char* what) const {
  throw Error(
      fmt::format("{}: {}: {}", path_.string(), what, std::generic_category().message(errno)));
}

AtomicFile::AtomicFile(const std::filesystem::path& path)
    : path_(path), part_(path.string() + ".part") {
  if (!std::filesystem::is_directory(path_)) return;
  part_.remove();
  throw Error(fmt::format("{}: is a directory, expected a file to write", path_.string()));
}

AtomicFile::~AtomicFile() {
  if (part_.is_open()) part_.remove();
}

void AtomicFile::commit() {
  part_.sync();
  part_.close();
  if (::rename(part_.path().c_str(), path_.c_str()) != 0) part_.fail("cannot be put in place");
  const std::filesystem::path folder = path_.has_parent_path() ? path_.parent_path() : ".";
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;  // some file systems do not allow it; the rename is done
  ::fsync(descriptor);
  ::close(descriptor);
}

}  // namespace uaspl
