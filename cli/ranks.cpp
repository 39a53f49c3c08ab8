// Joining the other ranks, see ranks.hpp.
#include "cli/ranks.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <filesystem>
#include <string>

#include "cli/commands.hpp"
#include "cli/work.hpp"
#include "uaspl/base/error.hpp"

namespace uaspl::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kModule = "libuaspl_mpi.so";

// Beside the program (in the build folder), or where it was installed.
void* open_module() {
  const fs::path program = fs::read_symlink("/proc/self/exe").parent_path();
  for (const fs::path& folder : {program, program / UASPL_MODULE_FOLDER}) {
    const fs::path path = folder / kModule;
    if (!fs::exists(path)) continue;
    // Global, since MPI opens parts of its own that look for MPI's names.
    if (void* module = ::dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL)) return module;
    throw Error(fmt::format("{}: {}", path.string(), ::dlerror()));
  }
  throw Error(fmt::format(
      "several ranks need {}, which uaspl builds where MPI is installed (Debian: libopenmpi-dev, "
      "openmpi-bin); without it, `--shard mpi` gives each process its part",
      kModule));
}

}  // namespace

std::unique_ptr<Ranks> join_ranks() {
  const std::optional<Shard> place = place_among_ranks();
  if (!place || place->count < 2) return nullptr;
  void* const symbol = ::dlsym(open_module(), kRanksFactory);
  const auto make = reinterpret_cast<RanksFactory>(symbol);
  std::unique_ptr<Ranks> ranks(make ? make(kRanksVersion) : nullptr);
  if (!ranks) throw Error(fmt::format("{} is of another version of uaspl", kModule));
  if (ranks->size() == place->count) return ranks;
  throw Error(fmt::format("{} was built for another MPI than the one that started {} ranks",
                          kModule, place->count));
}

int run_on_ranks(Ranks& ranks, const std::function<int(Lead&)>& lead,
                 const std::function<void(Follower&)>& follow_lead) {
  if (ranks.rank() > 0) {
    // Rank 0 says what went wrong: a code of its own would make mpirun end rank 0 before it can.
    if (!follow(ranks, follow_lead, interrupted)) ranks.abort(kExitFailed);
    return kExitDone;
  }
  Lead leader(ranks);
  try {
    const int code = lead(leader);
    if (!leader.dismiss()) ranks.abort(code == kExitDone ? kExitFailed : code);
    return code;
  } catch (const std::exception& error) {
    if (leader.dismiss()) throw;
    fmt::print(stderr, "uaspl: {}\n", error.what());
    ranks.abort(kExitFailed);
    throw;
  }
}

}  // namespace uaspl::cli
