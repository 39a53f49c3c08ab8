// Runs a verb on several ranks: `mpirun -n 8 uaspl bench ...`.
#pragma once

#include <functional>
#include <memory>

#include "uaspl/study/cluster/coordinator.hpp"
#include "uaspl/study/cluster/ranks.hpp"
#include "uaspl/study/cluster/worker.hpp"

namespace uaspl::cli {

// Returns all ranks, which are joined at the first call and left at the end of the program. Only
// this function opens MPI.
Ranks& join_ranks();

// Rank 0 leads and its exit code is that of the whole; the others follow, print nothing, and learn
// the code.
int run_on_ranks(Ranks& ranks, const std::function<int(Coordinator&)>& lead,
                 const std::function<void(Worker&)>& follow_lead);

// Returns the exit code of this process: only rank 0 uses the code. That of another rank would make
// mpirun end rank 0 before it can say what went wrong.
int exit_code_of_rank(int code);

}  // namespace uaspl::cli
