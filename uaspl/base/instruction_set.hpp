// Chooses which of its compiled instruction sets the vector code uses. Results of different sets
// may differ in the last bit: to get the same bytes on several kinds of processors, name one that
// all have.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace uaspl {

// Returns the sets that this processor has. The first is the best, and is used unless another is
// chosen.
std::vector<std::string> instruction_sets();

// Must be called before anything else. Throws a UsageError that lists the sets if the name is not
// one.
void use_instruction_set(std::string_view name);

// Uses the set named by the environment variable UASPL_TARGET, if it is set.
void use_instruction_set_of_environment();

}  // namespace uaspl
