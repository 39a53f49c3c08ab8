// How work is described on the command line: shards.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "uaspl/run/grid.hpp"

namespace uaspl::cli {

// I/N, I from 1; or `slurm`: as the variables SLURM_ARRAY_TASK_ID, _MIN, _MAX and _COUNT say.
Shard parse_shard(std::string_view text);

// What is wrong, or nothing: for CLI11's checks.
std::string complaint(const std::function<void()>& parse);

}  // namespace uaspl::cli
