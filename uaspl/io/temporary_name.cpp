// Temporary names and the list of them that a signal handler can read, see temporary_name.hpp.
#include "uaspl/io/temporary_name.hpp"

#include <unistd.h>

#include <array>
#include <climits>
#include <cstring>
#include <utility>

namespace uaspl {
namespace {

enum State : int { kFree, kFilling, kLive, kRemoving };

// A handler may neither take locks nor memory, so the names have fixed places. Whoever changes the
// state of a place from free or live has it for himself.
struct Slot {
  std::atomic<int> state;
  pid_t process;  // a forked child has a copy of the list, and must not remove its parent's files
  char path[PATH_MAX];
};

constexpr std::size_t kSlots = 32;
std::array<Slot, kSlots> slots;  // its memory is only used where names are written
static_assert(std::atomic<int>::is_always_lock_free);

bool change(Slot& slot, int from, int to) { return slot.state.compare_exchange_strong(from, to); }

// Returns kSlots if the list is full or the name too long: such a file is removed by destructors
// alone.
std::size_t enter(const std::filesystem::path& path) {
  if (path.native().size() >= sizeof(Slot::path)) return kSlots;
  for (std::size_t i = 0; i < kSlots; ++i) {
    if (!change(slots[i], kFree, kFilling)) continue;
    slots[i].process = ::getpid();
    std::memcpy(slots[i].path, path.c_str(), path.native().size() + 1);
    slots[i].state = kLive;
    return i;
  }
  return kSlots;
}

}  // namespace

TemporaryName::TemporaryName(std::filesystem::path path)
    : path_(std::move(path)), slot_(enter(path_)) {}

TemporaryName::~TemporaryName() {
  if (!path_.empty()) ::unlink(path_.c_str());
  release();
}

void TemporaryName::release() {
  path_.clear();
  const std::size_t slot = std::exchange(slot_, kSlots);
  if (slot < kSlots) change(slots[slot], kLive, kFree);
}

void remove_temporary_files() {
  for (Slot& slot : slots)
    if (change(slot, kLive, kRemoving) && slot.process == ::getpid()) ::unlink(slot.path);
}

}  // namespace uaspl
