// Parses which part of the work is asked for on the command line: shards, and places among ranks.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "uaspl/study/grid.hpp"

namespace uaspl::cli {

// Parses I/N, with I from 1; `slurm`, by the variables SLURM_ARRAY_TASK_ID, _MIN, _MAX and _COUNT;
// or `mpi`, by the rank that mpirun or srun gave to this process.
Shard parse_shard(std::string_view text);

// Returns the place of this process among those that mpirun (or srun with PMI) started, by their
// environment variables.
std::optional<Shard> place_among_ranks();

// Returns what is wrong, or an empty text, for CLI11's checks.
std::string complaint(const std::function<void()>& parse);

}  // namespace uaspl::cli
