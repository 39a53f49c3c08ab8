// Defines an experiment as data: which methods on which data sets, with which seeds, and under
// which conditions. It is read from a plan file (docs/formats.md); the paper's are part of the
// program.
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
  std::string start;                        // file of the first weights of all runs, if any
  std::vector<std::uint32_t> seeds;         // of the runs; if empty, first_seed and the next
  std::vector<ExperimentOptions> variants;  // the conditions to run under
  std::vector<std::string> show;            // sections of the Markdown report; empty: the usual
};

// Reads a study from JSON; errors begin with `name`, and say which entry is wrong and what was
// expected.
Study parse_study(std::string_view json, std::string name);

// Reads a study from a plan file.
Study read_study(const std::string& path);

// Returns the experiments of the paper.
std::span<const Study> studies();
const Study& find_study(std::string_view name);
// Returns the text of a plan of the paper, as a start for new plans.
std::string_view plan_text(std::string_view name);

}  // namespace uaspl
