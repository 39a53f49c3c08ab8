// Printing what `uaspl bench` has found when the runs are done.
#pragma once

#include <cstdio>
#include <span>
#include <string>

#include "uaspl/report/overview.hpp"

namespace uaspl::cli {

// A few methods stand beside each other, a line a data set; many stand below each other.
void print_table(std::FILE* out, const Overview& overview, std::span<const std::string> datasets,
                 std::span<const std::string> methods);
void print_json(std::FILE* out, const Overview& overview);  // one object a data set and method
void print_warnings(const Overview& overview);

}  // namespace uaspl::cli
