// What is recorded of a run besides its results: facts of its labels, and the time.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace uaspl {

// Returns how many test rows are of a class that no training row has.
std::size_t count_unseen(std::span<const int> train, std::span<const int> test);

// Returns how many rows the largest class has for one of the smallest.
double class_ratio(std::span<const int> labels);

std::string utc_now();  // 2026-01-31T12:00:00Z

}  // namespace uaspl
