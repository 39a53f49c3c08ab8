// A library to preload that lets the n-th writing call of a program fail, as a full disk would.
//
// Counted are the calls that change files below the folder $FAULTS_BELOW: opening for writing,
// write, sync, cut, rename, close of a written file, making a folder. Call number $FAULTS_NTH fails
// with the error $FAULTS_ERROR (a number; default: no space left), and with $FAULTS_ON all later
// ones too. What failed is added to the file $FAULTS_LOG, so that one can see when no call fails
// any more.
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

template <typename Function>
Function next(const char* name, Function /*same type*/) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

const char* setting(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

bool is_watched(const char* path) {
  const char* const folder = setting("FAULTS_BELOW");
  return *folder && std::strncmp(path, folder, std::strlen(folder)) == 0;
}

void note(const char* call, const char* path) {
  static const auto kOpen = next("open", &open);
  static const auto kWrite = next("write", &write);
  static const auto kClose = next("close", &close);
  const int log = kOpen(setting("FAULTS_LOG"), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (log < 0) return;
  char line[PATH_MAX + 64];
  const int size = std::snprintf(line, sizeof line, "%s %s\n", call, path);
  if (size > 0) [[maybe_unused]]
    const auto written = kWrite(log, line, static_cast<std::size_t>(size));
  kClose(log);
}

// Says whether this call is to fail, and sets errno.
bool fails(const char* call, const char* path) {
  static std::atomic<long> count{0};
  if (!is_watched(path)) return false;
  const long number = ++count;
  const long nth = std::atol(setting("FAULTS_NTH"));
  if (nth <= 0 || number < nth || (number > nth && !*setting("FAULTS_ON"))) return false;
  if (number == nth) note(call, path);
  errno = *setting("FAULTS_ERROR") ? std::atoi(setting("FAULTS_ERROR")) : ENOSPC;
  return true;
}

bool fails(const char* call, int file) {
  char link[64];
  char path[PATH_MAX];
  std::snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  const ssize_t size = readlink(link, path, sizeof path - 1);
  if (size < 0) return false;
  path[size] = '\0';
  return fails(call, path);
}

// A relative path is seen from the current folder.
bool fails_absolute(const char* call, const char* path) {
  char whole[2 * PATH_MAX];
  if (path[0] == '/') return fails(call, path);
  char folder[PATH_MAX];
  if (!getcwd(folder, sizeof folder)) return false;
  std::snprintf(whole, sizeof whole, "%s/%s", folder, path);
  return fails(call, whole);
}

bool is_for_writing(int flags) { return (flags & O_ACCMODE) != O_RDONLY || (flags & O_CREAT) != 0; }

}  // namespace

extern "C" {

int open(const char* path, int flags, ...) {
  static const auto kNext = next("open", &open);
  std::va_list rest;
  va_start(rest, flags);
  const mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  if (is_for_writing(flags) && fails_absolute("open", path)) return -1;
  return kNext(path, flags, mode);
}

int open64(const char* path, int flags, ...) {
  std::va_list rest;
  va_start(rest, flags);
  const mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  return open(path, flags, mode);
}

// What hardened programs call instead.
int __open_2(const char* path, int flags) { return open(path, flags); }
int __open64_2(const char* path, int flags) { return open(path, flags); }

ssize_t write(int file, const void* bytes, size_t size) {
  static const auto kNext = next("write", &write);
  return fails("write", file) ? -1 : kNext(file, bytes, size);
}

ssize_t pwrite(int file, const void* bytes, size_t size, off_t place) {
  static const auto kNext = next("pwrite", &pwrite);
  return fails("pwrite", file) ? -1 : kNext(file, bytes, size, place);
}

ssize_t pwrite64(int file, const void* bytes, size_t size, off64_t place) {
  return pwrite(file, bytes, size, place);
}

int fsync(int file) {
  static const auto kNext = next("fsync", &fsync);
  return fails("fsync", file) ? -1 : kNext(file);
}

int fdatasync(int file) {
  static const auto kNext = next("fdatasync", &fdatasync);
  return fails("fdatasync", file) ? -1 : kNext(file);
}

int ftruncate(int file, off_t size) noexcept {
  static const auto kNext = next("ftruncate", &ftruncate);
  return fails("ftruncate", file) ? -1 : kNext(file, size);
}

int ftruncate64(int file, off64_t size) noexcept { return ftruncate(file, size); }

int posix_fallocate(int file, off_t place, off_t size) {
  static const auto kNext = next("posix_fallocate", &posix_fallocate);
  return fails("posix_fallocate", file) ? errno : kNext(file, place, size);
}

int rename(const char* from, const char* to) noexcept {
  static const auto kNext = next("rename", &rename);
  return fails_absolute("rename", to) ? -1 : kNext(from, to);
}

int mkdir(const char* path, mode_t mode) noexcept {
  static const auto kNext = next("mkdir", &mkdir);
  return fails_absolute("mkdir", path) ? -1 : kNext(path, mode);
}

// The file is closed even where that fails, as on Linux.
int close(int file) {
  static const auto kNext = next("close", &close);
  const int flags = fcntl(file, F_GETFL);
  const bool failed = flags >= 0 && (flags & O_ACCMODE) != O_RDONLY && fails("close", file);
  const int reason = errno;
  const int status = kNext(file);
  if (!failed) return status;
  errno = reason;
  return -1;
}
}
