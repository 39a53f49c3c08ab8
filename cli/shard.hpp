// How work is described on the command line: label noise, shards.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "uaspl/study/grid.hpp"

namespace uaspl::cli {

// I/N, I from 1; `slurm`: as the variables SLURM_ARRAY_TASK_ID, _MIN, _MAX and _COUNT say; `mpi`:
// the rank that mpirun or srun gave to this process.
Shard parse_shard(std::string_view text);

// This process among those that mpirun (or srun with PMI) started, by their variables.
std::optional<Shard> place_among_ranks();

// What is wrong, or nothing: for CLI11's checks.
std::string complaint(const std::function<void()>& parse);

}  // namespace uaspl::cli
