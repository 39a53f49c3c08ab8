// The experiments of the paper: which methods, and under which conditions.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "uaspl/run/experiment.hpp"

namespace uaspl {

struct Study {
  std::string_view name;
  std::string_view summary;
  std::vector<std::string> methods;
  std::vector<ExperimentOptions> variants;
};

std::span<const Study> studies();
const Study& find_study(std::string_view name);

}  // namespace uaspl
