// Which of the instruction sets that the vector code is compiled for it uses. Others may differ in
// the last bit: who wants the same bytes on several kinds of processors names one that all have.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace uaspl {

// Those that this processor has, the best first: it is used unless another is chosen.
std::vector<std::string> instruction_sets();

// To be called before anything else. A UsageError says which ones there are.
void use_instruction_set(std::string_view name);

// The one that the environment names in UASPL_TARGET, if it does.
void use_instruction_set_of_environment();

}  // namespace uaspl
