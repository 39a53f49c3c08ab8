// Chooses an instruction set, see instruction_set.hpp.
#include "uaspl/base/instruction_set.hpp"

#include "uaspl/base/vector_targets.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <hwy/targets.h>

#include <cstdint>
#include <cstdlib>

#include "uaspl/base/error.hpp"

namespace uaspl {

std::vector<std::string> instruction_sets() {
  std::vector<std::string> names;
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets())
    names.emplace_back(hwy::TargetName(target));
  return names;
}

void use_instruction_set(std::string_view name) {
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    if (name != hwy::TargetName(target)) continue;
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    return;
  }
  throw UsageError(fmt::format("no instruction set '{}' here; there are {}", name,
                               fmt::join(instruction_sets(), ", ")));
}

void use_instruction_set_of_environment() {
  const char* name = std::getenv("UASPL_TARGET");
  if (name && *name) use_instruction_set(name);
}

}  // namespace uaspl
