// How work is described on the command line: label noise, shards.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "uaspl/data/noise.hpp"
#include "uaspl/run/grid.hpp"

namespace uaspl::cli {

LabelNoise parse_noise(std::string_view text);  // KIND:RATIO
Shard parse_shard(std::string_view text);       // I/N, I from 1
// As Slurm's array jobs have it in SLURM_ARRAY_TASK_ID, _MIN and _COUNT; all of the work otherwise.
Shard shard_of_environment();

// What is wrong, or nothing: for CLI11's checks.
std::string complaint(const std::function<void()>& parse);

}  // namespace uaspl::cli
