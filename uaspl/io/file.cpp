// Atomic and kept files over POSIX calls, see file.hpp.
#include "uaspl/io/file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <system_error>
#include <utility>

#include "uaspl/base/error.hpp"

namespace uaspl {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail_at(const fs::path& path, const char* what) {
  throw Error(
      fmt::format("{}: {}: {}", path.string(), what, std::generic_category().message(errno)));
}

fs::path folder_of(const fs::path& path) {
  return path.has_parent_path() ? path.parent_path() : fs::path(".");
}

// Makes sure that a new name in the folder survives a crash of the system.
void sync_folder(const fs::path& path) {
  const int folder = ::open(folder_of(path).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return;  // a folder that may be written but not read
  const int status = ::fsync(folder);
  const int reason = errno;
  ::close(folder);
  errno = reason;
  if (status != 0 && reason != EINVAL && reason != ENOTSUP)  // some file systems cannot do it
    fail_at(path, "is in place, but a crash of the system may undo that");
}

// Returns a hidden name beside the place that nobody can foresee. Of a long name, the end is left
// out; what is cut is a whole character of UTF-8.
fs::path random_name(const fs::path& place) {
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz234567";
  std::array<unsigned char, 12> random{};
  if (::getentropy(random.data(), random.size()) != 0) fail_at(place, "no random numbers");
  std::string middle;
  for (const unsigned char byte : random) middle += kLetters[byte % kLetters.size()];
  std::string name = place.filename().string();
  const std::size_t room = NAME_MAX - middle.size() - std::string_view("...part").size();
  if (name.size() > room) {
    std::size_t end = room;
    while (end > 0 && (static_cast<unsigned char>(name[end]) & 0xC0) == 0x80) --end;
    name.resize(end);
  }
  return place.parent_path() / fmt::format(".{}.{}.part", name, middle);
}

// Gives the new file what the old one had. Where the group cannot be kept, its rights must not go
// to another group.
void keep_rights(int file, const struct stat& old) {
  mode_t mode = old.st_mode & 0777;
  struct stat now {};
  if (::fstat(file, &now) != 0) return;
  if (now.st_uid != old.st_uid && ::fchown(file, old.st_uid, old.st_gid) == 0) now = old;
  if (now.st_gid != old.st_gid && ::fchown(file, static_cast<uid_t>(-1), old.st_gid) != 0)
    mode &= ~static_cast<mode_t>(070) | (mode & 07) << 3;
  ::fchmod(file, mode);  // without it, only the owner can read the file
}

// Opens a file that may be there already, so that nobody else's bytes are ever touched.
int open_kept(const fs::path& path, KeptFile::Begin begin) {
  const int flags = O_RDWR | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
  for (;;) {
    int file = ::open(path.c_str(), flags | O_CREAT | O_EXCL, 0666);
    if (file >= 0 || errno != EEXIST || begin == KeptFile::Begin::kNew) return file;
    file = ::open(path.c_str(), flags);
    if (file >= 0 || errno != ENOENT) return file;  // ENOENT: it was removed in between
  }
}

// Returns what is wrong with a file that is to be written under a known name, or nothing.
const char* fault_of(const struct stat& file) {
  if (!S_ISREG(file.st_mode)) return "is no file";
  if (file.st_nlink > 1) return "has a second name (a hard link)";
  if (file.st_uid != ::geteuid()) return "belongs to another user";
  return nullptr;
}

bool is_still_there(const fs::path& path, const struct stat& file) {
  struct stat now {};
  return ::lstat(path.c_str(), &now) == 0 && now.st_ino == file.st_ino && now.st_dev == file.st_dev;
}

}  // namespace

OutputFile::OutputFile(fs::path path, int descriptor)
    : path_(std::move(path)), descriptor_(descriptor) {}

OutputFile::~OutputFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
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
  if (::close(std::exchange(descriptor_, -1)) != 0 && errno != EINTR) fail("writing failed");
}

void OutputFile::fail(const char* what) const { fail_at(path_, what); }

bool is_special_file(const fs::path& path) {
  std::error_code failed;
  const auto status = fs::status(path, failed);
  return fs::exists(status) && !fs::is_regular_file(status) && !fs::is_directory(status);
}

fs::path final_place(const fs::path& path) {
  constexpr int kLinks = 40;  // as many as the system follows
  fs::path place = path;
  for (int i = 0; i < kLinks; ++i) {
    std::error_code no_link;
    const fs::path target = fs::read_symlink(place, no_link);
    if (no_link) return place;
    place = target.is_absolute() ? target : place.parent_path() / target;
  }
  errno = ELOOP;
  fail_at(path, "cannot be written");
}

AtomicFile::AtomicFile(const fs::path& path)
    : place_(is_special_file(path) ? path : final_place(path)), output_(path, create()) {}

int AtomicFile::create() {
  const auto fail = [&] { fail_at(place_, "cannot be written"); };
  struct stat old {};
  const bool replaces = ::stat(place_.c_str(), &old) == 0;
  if (!replaces && errno != ENOENT) fail();
  if (replaces && S_ISDIR(old.st_mode))
    throw Error(fmt::format("{}: is a directory, expected a file to write", place_.string()));
  if (replaces && !S_ISREG(old.st_mode)) {
    const int device = ::open(place_.c_str(), O_WRONLY | O_NOCTTY | O_CLOEXEC);
    if (device < 0) fail();
    return device;
  }
  if (!place_.has_filename()) {
    errno = ENOENT;
    fail();
  }
  for (;;) {
    part_.emplace(random_name(place_));
    const int file = ::open(part_->path().c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
                            replaces ? 0600 : 0666);
    if (file < 0) part_->release();
    if (file < 0 && errno == EEXIST) continue;  // someone's file, by a chance of 1 to 2^60
    if (file < 0) fail();
    if (replaces) keep_rights(file, old);
    return file;
  }
}

void AtomicFile::commit() {
  if (!part_) {
    output_.close();
    return;
  }
  output_.sync();
  output_.close();
  if (::rename(part_->path().c_str(), place_.c_str()) != 0) output_.fail("cannot be put in place");
  part_->release();
  sync_folder(place_);
}

KeptFile::KeptFile(const fs::path& path, Begin begin) : output_(path, open_kept(path, begin)) {
  if (output_.descriptor() < 0) {
    if (errno == EEXIST)
      throw Error(fmt::format("{}: is already there; move or remove it", path.string()));
    if (errno == ELOOP)
      throw Error(fmt::format("{}: is a link, expected a file; remove it", path.string()));
    output_.fail("cannot be written");
  }
  const auto status = [&] {
    struct stat file {};
    if (::fstat(output_.descriptor(), &file) != 0) output_.fail("cannot be written");
    return file;
  };
  if (const char* fault = fault_of(status()))
    throw Error(fmt::format("{}: {}, expected a file of one's own; move or remove it",
                            path.string(), fault));
  if (::flock(output_.descriptor(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) output_.fail("cannot be locked");
    throw Error(fmt::format("{}: another program is writing it; wait for its end", path.string()));
  }
  if (!is_still_there(path, status()))  // its last writer has just finished with it
    throw Error(
        fmt::format("{}: another program has just taken it away; try again", path.string()));
  if (begin == Begin::kEmpty) empty();
}

std::uint64_t KeptFile::size() const {
  struct stat file {};
  if (::fstat(output_.descriptor(), &file) != 0) output_.fail("cannot be read");
  return static_cast<std::uint64_t>(file.st_size);
}

std::string KeptFile::read_all() const {
  std::string text(static_cast<std::size_t>(size()), '\0');
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t got = ::pread(output_.descriptor(), text.data() + done, text.size() - done,
                                static_cast<off_t>(done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) output_.fail("cannot be read");
    if (got == 0) break;  // it was cut meanwhile
    done += static_cast<std::size_t>(got);
  }
  text.resize(done);
  return text;
}

void KeptFile::cut(std::uint64_t size) {
  if (::ftruncate(output_.descriptor(), static_cast<off_t>(size)) != 0)
    output_.fail("cannot be written");
}

void KeptFile::put_in_place(const fs::path& place) {
  sync();
  if (::rename(path().c_str(), place.c_str()) != 0) fail_at(place, "cannot be put in place");
  sync_folder(place);
}

void KeptFile::remove() { ::unlink(path().c_str()); }

}  // namespace uaspl
