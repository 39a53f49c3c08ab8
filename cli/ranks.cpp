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

std::unique_ptr<Ranks> joined;  // left when the program ends

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

Ranks& join_ranks() {
  std::unique_ptr<Ranks>& ranks = joined;
  if (ranks) return *ranks;
  void* const symbol = ::dlsym(open_module(), kRanksFactory);
  const auto make = reinterpret_cast<RanksFactory>(symbol);
  ranks.reset(make ? make(kRanksVersion) : nullptr);
  if (!ranks) throw Error(fmt::format("{} is of another version of uaspl", kModule));
  const std::optional<Shard> place = place_among_ranks();
  if (place && ranks->size() == place->count) return *ranks;
  throw Error(fmt::format("{} was built for another MPI than the one that started {} ranks",
                          kModule, place ? place->count : 0));
}

int run_on_ranks(Ranks& ranks, const std::function<int(Lead&)>& lead,
                 const std::function<void(Follower&)>& follow_lead) {
  if (ranks.rank() > 0) {
    const std::optional<int> code = follow(ranks, follow_lead, interrupted);
    if (!code) ranks.abort(kExitFailed);
    return code.value_or(kExitFailed);
  }
  Lead leader(ranks);
  try {
    const int code = lead(leader);
    if (!leader.dismiss(code)) ranks.abort(code == kExitDone ? kExitFailed : code);
    return code;
  } catch (const std::exception& error) {
    if (leader.dismiss(kExitFailed)) throw;
    fmt::print(stderr, "uaspl: {}\n", error.what());
    ranks.abort(kExitFailed);
    throw;
  }
}

int exit_code_of_rank(int code) { return joined && joined->rank() > 0 ? kExitDone : code; }

}  // namespace uaspl::cli
