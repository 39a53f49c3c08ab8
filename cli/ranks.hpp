// A verb on several ranks: `mpirun -n 8 uaspl bench ...`.
#pragma once

#include <functional>
#include <memory>

#include "uaspl/run/follower.hpp"
#include "uaspl/run/lead.hpp"
#include "uaspl/run/ranks.hpp"

namespace uaspl::cli {

// Nothing where this process is on its own. MPI is opened here and nowhere else.
std::unique_ptr<Ranks> join_ranks();

// Rank 0 leads and its exit code is that of the whole; the others follow, and are silent.
int run_on_ranks(Ranks& ranks, const std::function<int(Lead&)>& lead,
                 const std::function<void(Follower&)>& follow_lead);

}  // namespace uaspl::cli
