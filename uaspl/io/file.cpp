// Atomic files over POSIX calls, see file.hpp.
#include "uaspl/io/file.hpp"

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

bool is_special_file(const std::filesystem::path& path) {
  std::error_code failed;
  const auto status = std::filesystem::status(path, failed);
  return std::filesystem::exists(status) && !std::filesystem::is_regular_file(status) &&
         !std::filesystem::is_directory(status);
}

namespace {

// Returns where the bytes will be: the target, if the path is a link.
std::filesystem::path final_place(const std::filesystem::path& path) {
  std::error_code failed;
  if (std::filesystem::is_directory(path, failed))
    throw Error(fmt::format("{}: is a directory, expected a file to write", path.string()));
  if (!std::filesystem::is_symlink(path, failed)) return path;
  const auto target = std::filesystem::weakly_canonical(path, failed);
  return failed ? path : target;
}

}  // namespace

AtomicFile::AtomicFile(const std::filesystem::path& path)
    : path_(final_place(path)),
      direct_(is_special_file(path_)),
      part_(direct_ ? path_.string() : path_.string() + ".part") {}

AtomicFile::~AtomicFile() {
  if (!committed_ && !direct_) part_.remove();
}

void AtomicFile::commit() {
  if (direct_) {
    part_.close();
    return;
  }
  part_.sync();
  part_.close();
  if (::rename(part_.path().c_str(), path_.c_str()) != 0) part_.fail("cannot be put in place");
  committed_ = true;
  const std::filesystem::path folder = path_.has_parent_path() ? path_.parent_path() : ".";
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;  // some file systems refuse this; the rename is done
  ::fsync(descriptor);
  ::close(descriptor);
}

}  // namespace uaspl
