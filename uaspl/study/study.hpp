// An experiment as data: which methods on which data sets, with which seeds, and under which
// conditions. Read from a plan file (docs/formats.md); the paper's are part of the program.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "uaspl/study/experiment.hpp"

namespace uaspl {

struct Study {
  std::string name;
  std::string summary;
  std::vector<std::string> datasets;  // tables, or:
  std::vector<std::string> images;
  std::string profile = "full";  // of the work on images
  std::vector<std::string> methods;
  std::vector<std::string> settings;  // METHOD.OPTION=VALUE
  std::uint32_t first_seed = 2025;
  std::size_t runs = 1;
  std::vector<std::uint32_t> seeds;         // of the runs; none: first_seed and those after it
  std::vector<ExperimentOptions> variants;  // the conditions
  std::vector<std::string> show;            // sections of the Markdown report; empty: the usual
};

// From JSON; errors begin with `name`, and say which entry is wrong and what was expected.
Study parse_study(std::string_view json, std::string name);

// The same from a plan file.
Study read_study(const std::string& path);

// The experiments of the paper.
std::span<const Study> studies();
const Study& find_study(std::string_view name);
// As it was written, to begin an own one with.
std::string_view plan_text(std::string_view name);

}  // namespace uaspl
