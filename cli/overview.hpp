// Prints the results of `uaspl bench` when the runs are done.
#pragma once

#include <cstdio>
#include <span>
#include <string>

#include "uaspl/report/overview.hpp"

namespace uaspl::cli {

// Prints a few methods beside each other, with a line for each data set; many below each other.
void print_table(std::FILE* out, const Overview& overview, std::span<const std::string> datasets,
                 std::span<const std::string> methods);
void print_json(std::FILE* out, const Overview& overview);  // an object per data set and method
void print_warnings(const Overview& overview);

}  // namespace uaspl::cli
