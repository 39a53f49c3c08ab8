// Joins the other ranks, see ranks.hpp.
#include "cli/ranks.hpp"

#include <fmt/format.h>

#include "cli/commands.hpp"
#include "cli/note.hpp"
#include "cli/shard.hpp"
#include "uaspl/base/error.hpp"
#include "uaspl/base/module.hpp"

namespace uaspl::cli {
namespace {

std::unique_ptr<Ranks> joined;  // left when the program ends

}  // namespace

Ranks& join_ranks() {
  std::unique_ptr<Ranks>& ranks = joined;
  if (ranks) return *ranks;
  const Module module{
      .file = "libuaspl_mpi.so",
      .missing =
          "several ranks need libuaspl_mpi.so, which uaspl builds where MPI is installed "
          "(Debian: libopenmpi-dev, openmpi-bin); without it, `--shard mpi` gives each "
          "process its part",
      .global = true};
  const auto make = reinterpret_cast<RanksFactory>(find_in_module(module, kRanksFactory));
  ranks.reset(make(kRanksVersion));
  if (!ranks) throw Error(fmt::format("{} is of another version of uaspl", module.file));
  const std::optional<Shard> place = place_among_ranks();
  if (place && ranks->size() == place->count) return *ranks;
  throw Error(fmt::format("{} was built for another MPI than the one that started {} ranks",
                          module.file, place ? place->count : 0));
}

int run_on_ranks(Ranks& ranks, const std::function<int(Coordinator&)>& lead,
                 const std::function<void(Worker&)>& follow_lead) {
  if (ranks.rank() > 0) {
    const std::optional<int> code = follow(ranks, follow_lead, interrupted);
    if (!code) ranks.abort(kExitFailed);
    return code.value_or(kExitFailed);
  }
  Coordinator leader(ranks);
  try {
    const int code = lead(leader);
    if (!leader.dismiss(code)) ranks.abort(code == kExitDone ? kExitFailed : code);
    return code;
  } catch (const std::exception& error) {
    if (leader.dismiss(kExitFailed)) throw;
    note("uaspl: {}", error.what());
    ranks.abort(kExitFailed);
    throw;
  }
}

int exit_code_of_rank(int code) { return joined && joined->rank() > 0 ? kExitDone : code; }

}  // namespace uaspl::cli
